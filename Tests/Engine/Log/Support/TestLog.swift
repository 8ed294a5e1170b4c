import ShaleBase
import ShaleLog
import ShalePlatform
import TestSupport

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

/// A second, naive implementation of the rule for damaged logs, which knows the undamaged bytes.
struct DamageModel {
    enum Outcome: Equatable {
        case records(Int)
        case corruption(offset: Int)
    }

    let original: [UInt8]
    let chunks: [LogImage.Chunk]

    init(_ original: [UInt8]) {
        self.original = original
        chunks = LogImage(original).chunks
        totalRecords = chunks.count { $0.endsRecord }
    }

    let totalRecords: Int

    /// Returns the correct outcome of reading `damaged`, for a log with an intact header.
    func outcome(of damaged: [UInt8]) -> Outcome {
        func isIntact(_ chunk: LogImage.Chunk) -> Bool {
            chunk.range.upperBound <= damaged.count && damaged[chunk.range] == original[chunk.range]
        }
        guard let bad = chunks.firstIndex(where: { !isIntact($0) }) else { return .records(totalRecords) }
        let badOffset = chunks[bad].range.lowerBound
        let hasWitness = chunks[(bad + 1)...].contains { isIntact($0) && $0.syncedOffset > badOffset }
        return hasWitness ? .corruption(offset: badOffset) : .records(chunks[..<bad].count { $0.endsRecord })
    }

    /// Returns `nil` if `result` follows the rule, otherwise a description of the difference.
    func complaint(about result: ReadResult, of damaged: [UInt8], records: [[UInt8]]) -> String? {
        guard result.records == Array(records.prefix(result.records.count)) else { return "a wrong record" }
        switch outcome(of: damaged) {
        case .records(let count):
            guard result.error == nil else { return "unexpected error \(String(describing: result.error))" }
            return result.records.count == count ? nil : "\(result.records.count) records instead of \(count)"
        case .corruption(let offset):
            guard let error = result.error else { return "no error, expected corruption at \(offset)" }
            guard error.code == .corruption, error.offset == UInt64(offset), error.file == "wal/" + TestLog.name else {
                return "wrong error \(error), expected corruption at \(offset)"
            }
            return nil
        }
    }
}
