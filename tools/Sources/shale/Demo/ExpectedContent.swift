import Shale

/// The expected content of some namespaces, byte for byte: built from the source, never from the store.
struct ExpectedContent {
    private(set) var namespaces: [NamespacePath: [[UInt8]: [UInt8]]] = [:]

    var count: Int { namespaces.values.reduce(0) { $0 + $1.count } }

    /// The bytes of keys and stored values.
    var rawBytes: UInt64 {
        namespaces.values.reduce(0) { $0 + $1.reduce(0) { $0 + UInt64($1.key.count + $1.value.count) } }
    }

    /// Adds the entries that importing `records` makes.
    mutating func apply(_ records: [Record], to target: NamespacePath, purgeable: NamespacePath?) throws {
        for record in records {
            namespaces[target, default: [:]][record.key] = try Self.bytes(record.value)
            if let purgeable, let value = record.purgeable {
                namespaces[purgeable, default: [:]][record.key] = try Self.bytes(value)
            }
        }
    }

    mutating func remove(_ path: NamespacePath) { namespaces[path] = nil }

    private static func bytes(_ value: ImportedValue) throws -> [UInt8] {
        guard let bytes = value.storedBytes else { throw ToolFailure.badInput("a value has an unknown encoding") }
        return bytes
    }

    /// Returns the number of entries of the store that are missing, unexpected or different. Reads all of the
    /// namespaces in `paths`.
    func differences(from store: Store, in paths: [NamespacePath]) throws -> Int {
        try paths.reduce(0) { try $0 + differences(from: store, in: $1) }
    }

    private func differences(from store: Store, in path: NamespacePath) throws -> Int {
        let expected = namespaces[path] ?? [:]
        guard let id = store.identifier(of: path) else { return expected.count }
        var equal = 0
        var others = 0
        var cursor = try store.engine.cursor(in: id)
        while try cursor.next() {
            if let value = expected[cursor.key.array], cursor.value.equals(value) { equal += 1 } else { others += 1 }
        }
        // Keys of the store are distinct. An expected entry without an equal one is missing, or was counted in
        // `others`.
        return max(others, expected.count - equal)
    }
}

extension RawSpan {
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }

    func equals(_ bytes: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { unsafe $0.elementsEqual(bytes) }
    }
}
