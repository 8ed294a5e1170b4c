import ShaleBase
import ShaleLog
import ShalePlatform

/// A log in memory that tests build, damage and read back.
struct TestLog {
    static let name = "0000000012.wal"
    static let number: UInt64 = 12

    let directory = MemoryDirectory()
    let writer: LogWriter
    private(set) var records: [[UInt8]] = []

    init(preallocate: UInt64 = 0, number: UInt64 = TestLog.number) throws {
        writer = try LogWriter(
            directory: directory, name: TestLog.name, number: number, kind: .wal,
            previous: LogPredecessor(number: 11, size: 4711, lastSequence: 99), preallocate: preallocate)
    }

    var content: [UInt8] { directory.content(TestLog.name) }

    mutating func append(_ record: [UInt8]) throws {
        let memory = OwnedBytes(record)
        try withExtendedLifetime(memory) { try writer.append(memory.bytes) }
        records.append(record)
    }

    /// Appends a record in a single chunk, or in several if it does not fit.
    mutating func append(single record: [UInt8]) throws {
        guard let frame = writer.reserveSingle(record.count) else { return try append(record) }
        unsafe record.withUnsafeBytes { frame.copy(unsafe Bytes($0), at: 0) }
        try writer.commit()
        records.append(record)
    }

    /// Appends a record of `count` bytes that differs from its neighbours in every byte.
    mutating func append(count: Int) throws { try append(TestLog.record(records.count, count)) }

    func sync() throws {
        let end = writer.endOffset
        try writer.sync()
        writer.markSynced(through: end)
    }

    static func record(_ index: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 7) ^ ($0 >> 8) &+ index &* 31 &+ 1) }
    }

    static func reader(
        _ content: [UInt8], mayLackHeader: Bool = false, number: UInt64 = TestLog.number,
        recordMax: Int = LogFormat.recordMax
    ) throws(StorageError) -> LogReader {
        let directory = MemoryDirectory()
        directory.put(name, content)
        return try LogReader(
            file: MemoryReadableFile(directory, name), path: "wal/" + name, number: number, kind: .wal,
            mayLackHeader: mayLackHeader, recordMax: recordMax)
    }

    static func read(_ content: [UInt8], mayLackHeader: Bool = false) -> ReadResult {
        var result = ReadResult()
        do {
            let reader = try reader(content, mayLackHeader: mayLackHeader)
            result.end = try reader.forEach { record in
                result.records.append(record.payload.array())
                result.offsets.append(record.offset)
                if record.isSingle { result.singles.insert(record.offset) }
            }
        } catch {
            result.error = error
        }
        return result
    }
}

/// The result of reading a log: an end or an error, and the records before it.
struct ReadResult {
    var records: [[UInt8]] = []
    var offsets: [UInt64] = []
    /// The offsets of the records that are in single chunks.
    var singles: Set<UInt64> = []
    var end: LogEnd?
    var error: StorageError?
}
