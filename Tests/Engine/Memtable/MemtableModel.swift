import ShaleBase
import ShaleMemtable
import ShalePlatform

/// A version as tests compare it: a copy from the memtable or from the model.
struct Version: Equatable, CustomStringConvertible {
    let key: [UInt8]
    let trailer: Trailer
    let expiry: Int64
    let value: [UInt8]

    var description: String { "\(key.prefix(24))…\(key.count)@\(trailer.sequence)" }

    static func isBefore(_ a: Version, _ b: Version) -> Bool {
        if a.key != b.key { return a.key.lexicographicallyPrecedes(b.key) }
        return a.trailer.rawValue > b.trailer.rawValue
    }
}

/// The expected content of a memtable: an array of all versions, kept beside the memtable under test.
struct MemtableModel {
    let memtable: Memtable
    private(set) var versions: [Version] = []
    private(set) var sequence: SequenceNumber = 0

    init(capacity: Int = 8 << 20) throws {
        memtable = Memtable(arena: try Arena(capacity: capacity))
    }

    mutating func insert(
        _ userKey: [UInt8], namespace: UInt32 = 1, kind: EntryKind = .put, expiry: Int64 = 0, value: [UInt8] = []
    ) {
        sequence += 1
        let trailer = Trailer(sequence, kind)
        withBytes(userKey) { key in
            withBytes(value) { value in
                memtable.insert(
                    namespace: NamespaceID(rawValue: namespace), userKey: key, trailer: trailer, expiry: expiry,
                    value: value)
            }
        }
        let key = withBytes(userKey) { EncodedKey.make(NamespaceID(rawValue: namespace), $0) }
        versions.append(Version(key: key, trailer: trailer, expiry: kind.hasExpiry ? expiry : 0, value: value))
    }

    /// All versions in the order of a forward cursor.
    var sorted: [Version] { versions.sorted(by: Version.isBefore) }

    /// The distinct keys in order.
    var keys: [[UInt8]] { Set(versions.map(\.key)).sorted { $0.lexicographicallyPrecedes($1) } }
}

func withBytes<Result>(_ array: [UInt8], _ body: (Bytes) throws -> Result) rethrows -> Result {
    unsafe try array.withUnsafeBytes { buffer in try body(unsafe Bytes(buffer)) }
}

extension Memtable {
    /// Returns all versions that a cursor delivers after a seek.
    func scan(from key: [UInt8]?, _ direction: Direction, headOffset: Int = 0) throws -> [Version] {
        let cursor = makeCursor(headOffset: headOffset)
        if let key { try withBytes(key) { try cursor.seek($0, direction) } } else { try cursor.seek(nil, direction) }
        return try cursor.rest()
    }

    func get(_ key: [UInt8], through limit: SequenceNumber) -> Version? {
        withBytes(key) { bytes in
            get(bytes, through: limit).map {
                Version(key: key, trailer: $0.trailer, expiry: $0.expiry, value: $0.value.array())
            }
        }
    }
}

extension EntryCursor {
    /// Returns copies of the current run and of all runs after it.
    func rest() throws -> [Version] {
        var versions: [Version] = []
        while runCount > 0 {
            for index in 0..<runCount {
                let entry = unsafe run[index]
                let key = entry.key
                precondition(entry.head == key.head(at: headOffset))
                versions.append(
                    Version(
                        key: key.array(), trailer: entry.trailer, expiry: entry.expiry, value: entry.value.array()))
            }
            try fill()
        }
        return versions
    }
}

/// Families of user keys that reach the special cases of an adaptive radix tree.
enum KeyShape: String, CaseIterable, Sendable {
    case random, decimal, sequential, sharedLongPrefixes, prefixesOfOthers, dense, fewBytes, huge, zerosAndOnes

    func make(_ count: Int, _ random: SeededRandom) -> [[UInt8]] {
        switch self {
        case .random:
            (0..<count).map { _ in random.bytes(1 + random.below(20)) }
        case .decimal:
            (0..<count).map { _ in KeyShape.decimal(random.below(count * 4)) }
        case .sequential:
            (0..<count).map { KeyShape.decimal($0) }
        case .sharedLongPrefixes:
            KeyShape.branching(count, random, stems: 6, stemLength: 5...40)
        case .prefixesOfOthers:
            (0..<count).map { _ in [UInt8](repeating: 7, count: random.below(300)) + random.bytes(random.below(2)) }
        case .dense:
            (0..<count).map { _ in [UInt8(random.below(3)), UInt8(random.below(256)), UInt8(random.below(256))] }
        case .fewBytes:
            (0..<count).map { _ in random.bytes(random.below(3)) }
        case .huge:
            KeyShape.branching(min(count, 200), random, stems: 3, stemLength: 4000...5000).map {
                Array($0.prefix(16_384))
            }
        case .zerosAndOnes:
            (0..<count).map { _ in (0..<random.below(12)).map { _ in [0, 0, 0xff, 1][random.below(4)] } }
        }
    }

    /// Returns the number in sixteen digits.
    private static func decimal(_ number: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return [UInt8](repeating: 0x30, count: 16 - digits.count) + digits
    }

    /// Returns keys that share a prefix of random length with one of a few stems.
    private static func branching(
        _ count: Int, _ random: SeededRandom, stems stemCount: Int, stemLength: ClosedRange<Int>
    ) -> [[UInt8]] {
        let stems = (0..<stemCount).map { _ in
            (0..<4).flatMap { _ in
                random.bytes(stemLength.lowerBound + random.below(stemLength.count))
            }
        }
        return (0..<count).map { _ in
            let stem = stems[random.below(stemCount)]
            return Array(stem.prefix(random.below(stem.count + 1))) + random.bytes(random.below(4))
        }
    }
}

/// The seed of all tests in this folder. Each test prints it, so that a failure can be repeated.
let testSeed: UInt64 = 0x5ba1_e000_0000_0001
