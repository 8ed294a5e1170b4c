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
