import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Copies the segments that a backup needs into a pool.
struct BackupRun {
    private let directory: BackupDirectory
    private let store: FrozenStore
    private let options: BackupOptions
    private let progress: ByteProgress
    private let target: any Directory
    private let missing: [SegmentMetadata]

    let pool: UInt64
    private let number: UInt64
    /// The whole state of the backup, after ``copy()``.
    private(set) var state: StoreState
    private(set) var copiedSegments = 0
    private(set) var copiedBytes: UInt64 = 0

    init(
        _ directory: BackupDirectory, _ number: UInt64, _ store: FrozenStore, _ options: BackupOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        try store.state.requireNoValueFiles()
        self.directory = directory
        self.store = store
        self.number = number
        state = store.state
        self.options = options
        var pool = directory.newestPool
        var target = try directory.pool(pool, create: true)
        let all = store.state.version.levels.flatMap { $0.segments.map(\.metadata) }
        var missing = try BackupRun.missing(all, store.segments, target)
        if missing == nil {
            pool += 1
            target = try directory.pool(pool, create: true)
            missing = all
        }
        self.pool = pool
        self.target = target
        self.missing = missing ?? all
        self.progress = ByteProgress(self.missing.reduce(0) { $0 + $1.fileBytes }, progress)
    }

    /// Returns the segments that the pool lacks. Returns `nil` if the pool has another segment under one of their
    /// numbers: the store was set back to an earlier state and continued from there, or it is another store.
    private static func missing(
        _ all: [SegmentMetadata], _ source: any Directory, _ pool: any Directory
    ) throws(StorageError) -> [SegmentMetadata]? {
        var missing: [SegmentMetadata] = []
        do throws(IOFailure) {
            let present = Set(try pool.list())
            for metadata in all {
                if !present.contains(metadata.fileName) {
                    missing.append(metadata)
                } else if try !FileCopy.isSame(metadata, source, pool) {
                    return nil
                }
            }
        } catch {
            throw error.storageError
        }
        return missing
    }

    /// Copies what is missing. One thread waits for the disk while another verifies.
    mutating func copy(threads: Int) throws(StorageError) {
        let copied = ByteCounter()
        let progress = progress
        try ParallelWork.run(
            missing.count, threads: threads,
            poll: { () throws(StorageError) in try progress.add(copied.current - progress.bytes) }
        ) {
            [missing, source = store.segments, target, environment = directory.environment, options]
            (item, check) throws(StorageError) in
            try check()
            try FileCopy.take(missing[item], from: source, to: target, links: options.linksFiles)
            let copy = Segment(metadata: missing[item], directory: target, environment: environment)
            try copy.verifyChecksums { (_) throws(StorageError) in try check() }
            copied.add(missing[item].fileBytes)
        }
        copiedSegments = missing.count
        copiedBytes = copied.current
        try progress.add(copiedBytes - progress.bytes)
        if store.isIncomplete { try completeState() }
        do throws(IOFailure) {
            try target.sync()
            try directory.root.sync()
        } catch {
            throw error.storageError
        }
    }
}

extension BackupRun {
    /// The number from which on segments are the backup's own; `nil` if none are.
    var firstOwn: UInt64? { store.isIncomplete ? store.state.nextFileNumber : nil }

    /// Writes the batches that are in no segment of the store. Their segments are not in the pool: the owner of the
    /// store may give their numbers to other files.
    private mutating func completeState() throws(StorageError) {
        let own = try directory.makeOwn(number)
        state = try store.complete(in: own)
        try state.requireNoValueFiles()
        for segment in state.version.levels.flatMap(\.segments) where segment.number >= store.state.nextFileNumber {
            try Segment(metadata: segment.metadata, directory: own, environment: directory.environment).verify()
            copiedSegments += 1
            copiedBytes += segment.metadata.fileBytes
        }
        do { try own.sync() } catch { throw error.storageError }
    }
}

/// Copies whole files from one directory to another.
enum FileCopy {
    private static let pieceBytes = 1 << 20

    /// Makes a hard link if `links` is true and the file system permits one, otherwise a copy. The content of a copy is
    /// durable, its name is not.
    ///
    /// - Throws: The error of ``requireSize(of:in:)``, before any byte is copied.
    static func take(
        _ metadata: SegmentMetadata, from source: any Directory, to target: any Directory, links: Bool
    ) throws(StorageError) {
        try requireSize(of: metadata, in: source)
        do { try take(metadata.fileName, from: source, to: target, links: links) } catch { throw error.storageError }
    }

    /// Throws `.corruption` if a segment's file does not have the size that `metadata` states. A copy of a file with a
    /// hole of terabytes would fill the target's disk.
    static func requireSize(of metadata: SegmentMetadata, in source: any Directory) throws(StorageError) {
        let size: UInt64
        do { size = try source.sizeOfFile(metadata.fileName) } catch { throw error.storageError }
        guard size == metadata.fileBytes else {
            throw StorageError(
                .corruption, "the segment's size differs from the recorded size recorded=\(metadata.fileBytes)",
                file: metadata.fileName)
        }
    }

    private static func take(
        _ name: String, from source: any Directory, to target: any Directory, links: Bool
    ) throws(IOFailure) {
        if links {
            do throws(IOFailure) {
                return try source.link(name, to: name, in: target)
            } catch {
                guard error.isUnlinkable else { throw error }
            }
        }
        let from = try source.open(name)
        defer { from.close() }
        let to = try target.create(name)
        try from.copy(to: to)
        try to.sync()
        try to.close()
    }

    /// Returns true if two files of the same number and size are the same segment. Only the part after the data is
    /// compared: it contains the time of creation, and counts, lengths, sequences and a filter of the data.
    static func isSame(
        _ metadata: SegmentMetadata, _ a: any Directory, _ b: any Directory
    ) throws(IOFailure) -> Bool {
        let start = metadata.slices.reduce(UInt64(0)) { $0 + $1.storedBytes }
        guard start < metadata.fileBytes else { return false }
        let first = try a.open(metadata.fileName)
        defer { first.close() }
        let second = try b.open(metadata.fileName)
        defer { second.close() }
        let one = OwnedBytes(count: pieceBytes)
        let other = OwnedBytes(count: pieceBytes)
        var offset = start
        while true {
            let count = try first.read(into: one.mutable, at: offset)
            guard try second.read(into: other.mutable, at: offset) == count else { return false }
            if count == 0 { return offset == metadata.fileBytes }
            let isEqual = one.bytes.slice(0, count) == other.bytes.slice(0, count)
            guard isEqual || PlantedBug.isActive(.compareSizesAlone) else { return false }
            offset += UInt64(count)
        }
    }
}

extension StoreState {
    /// Throws if a segment refers to value files, of which backups have none.
    func requireNoValueFiles() throws(StorageError) {
        guard version.valueUses.isEmpty else { throw .noBackupOfValueFiles }
    }
}

extension StorageError {
    static var noBackupOfValueFiles: StorageError {
        .invalid("the store has value files, of which no backup can be made: make a checkpoint or a copy")
    }
}
