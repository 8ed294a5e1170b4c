import Shale
import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DemoRun {
    /// Reads every namespace and compares every byte.
    func compareEverything() throws {
        try say("\n6. Compare everything with the source")
        let store = try openStore()
        let paths = Array(expected.namespaces.keys)
        let (differences, time) = try time { try expected.differences(from: store, in: paths) }
        try require(differences, "the whole store")
        figures.entries = expected.count
        figures.rawBytes = expected.rawBytes
        try say(
            "     \(Figures.count(expected.count)) entries in \(paths.count) namespaces are equal to the source: "
                + "\(Figures.duration(time)), \(Figures.rate(UInt64(expected.count), time))")
        try store.close()
    }

    /// Reads random keys one by one. Compares the bytes of every value, and the decoded value of every hundredth.
    func readRandomKeys() throws {
        try say("\n7. Read \(Figures.count(DemoRun.randomReads)) random keys (seed \(seed))")
        let store = try openStore()
        let samples = try randomSamples(store)
        var differences = 0
        let (_, time) = try time {
            for sample in samples {
                let isEqual = try unsafe store.engine.withValue(forKey: sample.key.span.bytes, in: sample.id) { value in
                    value.equals(sample.value)
                }
                if isEqual != true { differences += 1 }
            }
        }
        for sample in samples.enumerated() where sample.offset % 100 == 0 {
            if try !decodesEqually(sample.element, store) { differences += 1 }
        }
        try require(differences, "random reads")
        figures.randomReadTime = time
        try say("     all equal: \(Figures.duration(time)), \(Figures.rate(UInt64(samples.count), time))")
        try store.close()
    }

    private struct Sample {
        let path: NamespacePath
        let id: NamespaceID
        let key: [UInt8]
        let value: [UInt8]
    }

    private func randomSamples(_ store: Store) throws -> [Sample] {
        var all: [Sample] = []
        // The order depends only on the content, so that the seed repeats the run.
        for (path, entries) in expected.namespaces.sorted(by: { $0.key.text < $1.key.text }) {
            guard let id = store.identifier(of: path) else { continue }
            let sorted = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }
            all += sorted.map { Sample(path: path, id: id, key: $0.key, value: $0.value) }
        }
        guard !all.isEmpty else { throw ToolFailure.different("the store is empty") }
        var random = SplitMix(state: seed)
        return (0..<DemoRun.randomReads).map { _ in all[Int(random.next() % UInt64(all.count))] }
    }

    private func decodesEqually(_ sample: Sample, _ store: Store) throws -> Bool {
        let stored = try store.namespace(sample.path).object(forKey: sample.key)
        let payload = Data(sample.value.dropFirst(2))
        guard sample.value.first == ValueCodec.json.rawValue else {
            return stored == .string(String(decoding: payload, as: UTF8.self))
        }
        return stored == .json(try JSONDecoder().decode(StructuredValue.self, from: payload))
    }
}

/// The SplitMix64 generator: the same numbers from the same seed everywhere.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

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
