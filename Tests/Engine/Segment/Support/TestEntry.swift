import ShaleBase
import ShalePlatform

/// An entry that owns its bytes, for tests to write and to compare.
struct TestEntry: Equatable, CustomStringConvertible {
    var key: [UInt8]
    var sequence: SequenceNumber
    var kind: EntryKind
    var expiry: Int64 = 0
    var value: [UInt8]

    var trailer: Trailer { Trailer(sequence, kind) }

    var description: String { "key=\(key.prefix(24)) sequence=\(sequence) kind=\(kind.rawValue) value=\(value.count)" }

    static func put(_ namespace: UInt32, _ key: String, _ sequence: SequenceNumber, _ value: String = "v") -> TestEntry
    {
        TestEntry(
            key: EncodedKey.start(of: NamespaceID(rawValue: namespace)) + Array(key.utf8), sequence: sequence,
            kind: .put, value: Array(value.utf8))
    }

    static func isBefore(_ a: TestEntry, _ b: TestEntry) -> Bool {
        a.key == b.key ? a.trailer.rawValue > b.trailer.rawValue : a.key.lexicographicallyPrecedes(b.key)
    }

    init(key: [UInt8], sequence: SequenceNumber, kind: EntryKind, expiry: Int64 = 0, value: [UInt8]) {
        self.key = key
        self.sequence = sequence
        self.kind = kind
        self.expiry = expiry
        self.value = value
    }

    init(_ entry: Entry) {
        self.init(
            key: entry.key.array(), sequence: entry.trailer.sequence, kind: entry.trailer.kind, expiry: entry.expiry,
            value: entry.value.array())
    }
}

extension [UInt8] {
    /// Lends the array's memory for a call.
    func lent<R, E: Error>(_ body: (Bytes) throws(E) -> R) throws(E) -> R {
        let memory = OwnedBytes(self)
        defer { withExtendedLifetime(memory) {} }
        return try body(memory.bytes)
    }
}
