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
    private(set) var copiedSegments = 0
    private(set) var copiedBytes: UInt64 = 0

    init(
        _ directory: BackupDirectory, _ store: FrozenStore, _ options: BackupOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        self.directory = directory
        self.store = store
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

    mutating func copy() throws(StorageError) {
        for metadata in missing {
            try FileCopy.take(metadata, from: store.segments, to: target, links: options.linksFiles)
            try Segment(metadata: metadata, directory: target, environment: directory.environment).verify()
            copiedSegments += 1
            copiedBytes += metadata.fileBytes
            try progress.add(metadata.fileBytes)
        }
        do throws(IOFailure) {
            try target.sync()
            try directory.root.sync()
        } catch {
            throw error.storageError
        }
    }
}
