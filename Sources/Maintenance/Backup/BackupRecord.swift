import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The content of a backup's file: ShaleMaintenance.docc, "How backups work". The file is a record log like a
/// manifest's, with two records: the head, and the edit that produces the state.
struct BackupRecord {
    let number: UInt64
    /// The number of the pool that contains its segments and value files.
    let pool: UInt64
    /// The number from which on segments and value files are in the backup's own directory and not in the pool; `nil`
    /// if none are.
    var firstOwn: UInt64?
    let identity: CurrentFile
    let wallMilliseconds: Int64
    let state: StoreState

    private static let headBytes = 48
    private static let version: UInt32 = 1
    /// The version of backups with segments of their own, whose head has one field more.
    private static let versionWithOwn: UInt32 = 2

    func write(in directory: any Directory) throws(IOFailure) {
        let name = BackupLayout.backup(number)
        let temporary = name + BackupLayout.temporarySuffix
        if try directory.exists(temporary) { try directory.remove(temporary) }
        let log = try LogWriter(
            directory: directory, name: temporary, number: number, kind: .manifest, previous: .none, preallocate: 0)
        var buffer = ByteBuffer(capacity: 4096)
        buffer.append(firstOwn == nil ? BackupRecord.version : BackupRecord.versionWithOwn)
        buffer.append(UInt32(0))
        buffer.append(pool)
        buffer.append(identity.storeID.high)
        buffer.append(identity.storeID.low)
        buffer.append(identity.createdMilliseconds)
        buffer.append(wallMilliseconds)
        if let firstOwn { buffer.append(firstOwn) }
        try log.append(buffer.bytes)
        buffer.removeAll()
        state.snapshotEdit.encode(into: &buffer)
        try log.append(buffer.bytes)
        let size = log.endOffset
        try log.sync()
        log.markSynced(through: size)
        // The mark covers the records. Without it, damage to the last record would look like a torn tail.
        try log.appendMark()
        try log.sync()
        try log.close(truncating: true)
        try directory.rename(temporary, to: name, in: directory)
        try directory.sync()
    }

    static func read(
        _ number: UInt64, in root: any Directory, _ environment: SegmentEnvironment
    ) throws(StorageError) -> BackupRecord {
        let name = BackupLayout.backup(number)
        let file: any ReadableFile
        do { file = try root.open(name) } catch { throw error.storageError.inFile(name) }
        defer { file.close() }
        let reader = try LogReader(file: file, path: name, number: number, kind: .manifest)
        guard let head = try reader.next(), isHead(head.payload) else {
            throw .corruption("the backup's header is damaged or has an unknown version", file: name, offset: 0)
        }
        let pool = head.payload.u64(at: 8)
        let identity = CurrentFile(
            manifestNumber: 0, storeID: StoreID(head.payload.u64(at: 16), head.payload.u64(at: 24)),
            createdMilliseconds: head.payload.i64(at: 32))
        let wall = head.payload.i64(at: 40)
        let firstOwn = head.payload.count > headBytes ? head.payload.u64(at: headBytes) : nil
        guard let body = try reader.next() else {
            throw .corruption("the backup's content is missing", file: name, offset: head.offset)
        }
        let directory = try open(BackupLayout.pool(pool), in: root)
        let own = firstOwn == nil ? directory : try open(BackupLayout.own(number), in: root)
        let edit = try ManifestEdit(decoding: body.payload)
        do throws(ParseFailure) {
            let state = try StoreState(copied: edit) {
                Segment(
                    metadata: $0, directory: $0.number >= firstOwn ?? .max ? own : directory, environment: environment)
            }
            return BackupRecord(
                number: number, pool: pool, firstOwn: firstOwn, identity: identity, wallMilliseconds: wall,
                state: state)
        } catch {
            throw .corruption("the backup contradicts itself: \(error.reason)", file: name, offset: body.offset)
        }
    }

    private static func isHead(_ payload: Bytes) -> Bool {
        guard payload.count >= headBytes else { return false }
        return payload.u32(at: 0) == version && payload.count == headBytes
            || payload.u32(at: 0) == versionWithOwn && payload.count == headBytes + 8
    }

    private static func open(_ name: String, in root: any Directory) throws(StorageError) -> any Directory {
        do { return try root.openDirectory(name, create: false) } catch { throw error.storageError.inFile(name) }
    }

    /// True if the segment or value file `number` is in the backup's own directory.
    func isOwn(_ number: UInt64) -> Bool { number >= firstOwn ?? .max }

    var segments: [Segment] { state.version.levels.flatMap(\.segments) }

    /// The value files that the segments use, in order.
    var values: [ValueUse] { state.version.sortedValues }

    /// The names of its segments and value files.
    var fileNames: [String] {
        segments.map(\.metadata.fileName) + values.map { StoreLayout.values($0.file) }
    }

    var info: BackupInfo { BackupInfo(number: number, state: state, wallMilliseconds: wallMilliseconds) }
}

extension StoreState {
    /// Makes the state of a backup from its edit.
    init(
        copied edit: ManifestEdit, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(ParseFailure) {
        self = try StoreState().applying(edit, makeSegment: makeSegment)
        // A store that is restored from such a backup would lack the log and not open.
        guard logFloor == 0 else {
            throw ParseFailure("it names log \(logFloor), but a backup contains no logs")
        }
        for use in version.levels.flatMap(\.segments).flatMap(\.metadata.values)
        where version.valueUses[use.file]?.fileBytes != use.fileBytes {
            throw ParseFailure("its segments state different sizes of value file \(use.file)")
        }
    }
}

extension BackupInfo {
    init(number: UInt64, state: StoreState, wallMilliseconds: Int64) {
        let segments = state.version.levels.flatMap { $0.segments.map(\.metadata) }
        let values = state.version.sortedValues
        self.init(
            number: number, wallMilliseconds: wallMilliseconds, segments: segments.count, valueFiles: values.count,
            storedBytes: segments.reduce(0) { $0 + $1.fileBytes } + values.reduce(0) { $0 + $1.fileBytes },
            entries: segments.reduce(0) { $0 + $1.entryCount })
    }
}
