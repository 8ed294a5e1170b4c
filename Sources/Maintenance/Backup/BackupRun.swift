import ShaleBase
import ShaleEngine
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Copies the segments and value files that a backup needs into a pool.
struct BackupRun {
    private let directory: BackupDirectory
    private let store: FrozenStore
    private let options: BackupOptions
    private let handler: MaintenanceProgress.Handler
    private let number: UInt64
    private var place: PoolPlace
    /// The whole state of the backup, after ``copy()``.
    private(set) var state: StoreState
    private(set) var copiedSegments = 0
    private(set) var copiedBytes: UInt64 = 0

    var pool: UInt64 { place.number }

    init(
        _ directory: BackupDirectory, _ number: UInt64, _ store: FrozenStore, _ options: BackupOptions,
        _ progress: @escaping MaintenanceProgress.Handler
    ) throws(StorageError) {
        self.directory = directory
        self.store = store
        self.number = number
        self.options = options
        handler = progress
        state = store.state
        if let pool = try PoolPlace(directory.newestPool, directory, store) {
            place = pool
        } else {
            place = try PoolPlace(new: directory, store)
        }
    }

    /// Copies what is missing. One thread waits for the disk while another verifies.
    mutating func copy(threads: Int) throws(StorageError) {
        do throws(StorageError) {
            try copyMissing(threads)
        } catch {
            // The store was set back, so that the pool has another value file under a number of the store's.
            guard place.isContradicted(by: error) else { throw error }
            place = try PoolPlace(new: directory, store)
            try copyMissing(threads)
        }
        if store.isIncomplete { try completeState() }
        do throws(IOFailure) {
            try place.directory.sync()
            try directory.root.sync()
        } catch {
            throw error.storageError
        }
    }

    /// Copies value files, and then segments, whose verification reads the values.
    private mutating func copyMissing(_ threads: Int) throws(StorageError) {
        let progress = ByteProgress(place.missingBytes, handler)
        let copied = ByteCounter()
        let report = { () throws(StorageError) in try progress.add(copied.current - progress.bytes) }
        try ParallelWork.run(place.missingValues.count, threads: threads, poll: report) {
            [place, source = store.segments, options] (item, check) throws(StorageError) in
            try check()
            let use = place.missingValues[item]
            try FileCopy.take(use, from: source, to: place.directory, links: options.linksFiles)
            copied.add(use.fileBytes)
        }
        try ParallelWork.run(place.missing.count, threads: threads, poll: report) {
            [place, source = store.segments, environment = directory.environment, options]
            (item, check) throws(StorageError) in
            try check()
            let metadata = place.missing[item]
            try FileCopy.take(metadata, from: source, to: place.directory, links: options.linksFiles)
            let copy = Segment(metadata: metadata, directory: place.directory, environment: environment)
            if metadata.values.isEmpty {
                try copy.verifyChecksums { (_) throws(StorageError) in try check() }
            } else {
                try copy.verify(values: .headers(of: place.presentValues)) { (_) throws(StorageError) in try check() }
            }
            copied.add(metadata.fileBytes)
        }
        try directory.environment.checkHeaders(of: place.missingValues, in: place.directory)
        copiedSegments = place.missing.count
        copiedBytes = copied.current
        try report()
    }
}

extension BackupRun {
    /// The number from which on segments and value files are the backup's own; `nil` if none are.
    var firstOwn: UInt64? { store.isIncomplete ? store.state.nextFileNumber : nil }

    /// Writes the batches that are in no segment of the store. Their files are not in the pool: the owner of the store
    /// may give their numbers to other files.
    private mutating func completeState() throws(StorageError) {
        let own = try directory.makeOwn(number)
        let first = store.state.nextFileNumber
        state = try store.complete(in: own)
        for segment in state.version.levels.flatMap(\.segments) where segment.number >= first {
            try Segment(metadata: segment.metadata, directory: own, environment: directory.environment).verify()
            copiedSegments += 1
            copiedBytes += segment.metadata.writtenBytes
        }
        do { try own.sync() } catch { throw error.storageError }
    }
}

/// A pool, and what it lacks of the files of a store.
private struct PoolPlace: Sendable {
    let number: UInt64
    let directory: any Directory
    private(set) var missing: [SegmentMetadata] = []
    private(set) var missingValues: [ValueUse] = []
    /// The value files that the pool has, by their names and sizes.
    private(set) var presentValues: Set<UInt64> = []

    var missingBytes: UInt64 {
        missing.reduce(0) { $0 + $1.fileBytes } + missingValues.reduce(0) { $0 + $1.fileBytes }
    }

    /// A pool that lacks everything.
    init(new backups: BackupDirectory, _ store: FrozenStore) throws(StorageError) {
        number = backups.newestPool + 1
        directory = try backups.pool(number, create: true)
        missing = store.state.version.levels.flatMap { $0.segments.map(\.metadata) }
        missingValues = store.state.version.sortedValues
    }

    /// Returns `nil` if the pool has another file under the number of a segment or value file of the store: the store
    /// was set back to an earlier state and continued from there, or it is another store.
    init?(_ number: UInt64, _ backups: BackupDirectory, _ store: FrozenStore) throws(StorageError) {
        self.number = number
        directory = try backups.pool(number, create: true)
        do throws(IOFailure) {
            let names = Set(try directory.list())
            for metadata in store.state.version.levels.flatMap({ $0.segments.map(\.metadata) }) {
                if !names.contains(metadata.fileName) {
                    missing.append(metadata)
                } else if try !FileCopy.isSame(metadata, store.segments, directory) {
                    return nil
                }
            }
            for use in store.state.version.sortedValues {
                let name = StoreLayout.values(use.file)
                if !names.contains(name) {
                    missingValues.append(use)
                } else if try directory.sizeOfFile(name) >= use.fileBytes {
                    presentValues.insert(use.file)
                } else {
                    return nil
                }
            }
        } catch {
            throw error.storageError
        }
    }

    /// True if a value file that the pool had before lacks a record to which a segment of the store refers.
    func isContradicted(by error: StorageError) -> Bool {
        guard error.code == .corruption, let file = error.file else { return false }
        return presentValues.contains { FileName.join(directory.path, StoreLayout.values($0)) == file }
    }
}
