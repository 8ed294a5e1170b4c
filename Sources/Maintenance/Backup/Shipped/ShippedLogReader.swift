import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Reads the shipped log of a backup, and checks that each record continues what precedes it.
struct ShippedLogReader {
    enum Item {
        case batch(LoggedBatch, byteCount: Int)
        /// A moment at an offset of the log. ``state`` is that of the moment now.
        case moment(wallMilliseconds: Int64, offset: UInt64)
    }

    /// The state of the last moment, or of the backup before the first one. Its segments are those of the backup.
    private(set) var state: StoreState
    private let directory: BackupDirectory
    private let log: LogReader
    private let name: String
    private var wallMilliseconds: Int64
    /// The last sequence that was read.
    private var last: SequenceNumber

    init(_ record: BackupRecord, in directory: BackupDirectory) throws(StorageError) {
        self.directory = directory
        name = BackupLayout.log(record.number)
        let file: any ReadableFile
        do { file = try FilePrefix(try directory.root.open(name)) } catch { throw error.storageError.inFile(name) }
        log = try LogReader(file: file, path: name, number: record.number, kind: .backup)
        state = record.state
        wallMilliseconds = record.wallMilliseconds
        last = record.state.lastSequence
        guard log.header?.previous.lastSequence == last else {
            throw .corruption("the shipped log continues another backup", file: name, offset: 0)
        }
    }

    /// Returns the next item, or `nil` at the end. Bytes of a batch are valid until the next call.
    mutating func next() throws(StorageError) -> Item? {
        guard let record = try log.next() else { return nil }
        let item = try ShippedRecord(record, name)
        do throws(ParseFailure) {
            switch item {
            case .batch(let batch, let byteCount):
                guard batch.baseSequence > last, batch.lastSequence <= Trailer.sequenceMax else {
                    throw ParseFailure("a batch repeats sequences")
                }
                last = batch.lastSequence
                return .batch(batch, byteCount: byteCount)
            case .moment(let moment):
                try apply(moment)
                return .moment(wallMilliseconds: wallMilliseconds, offset: record.offset)
            }
        } catch {
            throw ShippedRecord.damage(error.reason, record, name)
        }
    }

    private mutating func apply(_ moment: ShippedMoment) throws(ParseFailure) {
        guard moment.wallMilliseconds >= wallMilliseconds else { throw ParseFailure("the time of a moment goes back") }
        if moment.hasCatalogue { state.catalogue = Catalogue() }
        state = try state.applying(moment.edit) { [directory] in
            Segment(metadata: $0, directory: directory.root, environment: directory.environment)
        }
        guard state.lastSequence >= last else { throw ParseFailure("a moment ends before a batch that precedes it") }
        wallMilliseconds = moment.wallMilliseconds
        last = state.lastSequence
    }
}

/// The bytes that a file had when it was opened, while another process appends to it.
///
/// Earlier bytes are whole. A chunk that is being written would look like damage if a later one follows it.
private final class FilePrefix: ReadableFile {
    private let file: any ReadableFile
    private let count: UInt64

    init(_ file: any ReadableFile) throws(IOFailure) {
        self.file = file
        count = try file.size()
    }

    var name: String { file.name }

    func size() throws(IOFailure) -> UInt64 { count }

    func read(into target: MutableBytes, at offset: UInt64) throws(IOFailure) -> Int {
        guard offset < count else { return 0 }
        return try file.read(into: target.slice(0, Int(min(UInt64(target.count), count - offset))), at: offset)
    }

    func contentOffset(from offset: UInt64) throws(IOFailure) -> UInt64 {
        min(count, try file.contentOffset(from: offset))
    }

    func adviseSequential(offset: UInt64, count: UInt64) { file.adviseSequential(offset: offset, count: count) }

    func close() { file.close() }
}
