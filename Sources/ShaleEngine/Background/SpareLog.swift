import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// The next log's file, made before it is needed: creating it, reserving its space and syncing its name take
/// milliseconds that no writer should wait for.
///
/// Spares are small until a log has outgrown its first reservation, and have space for a whole memtable from then on, so
/// that busy writers do not wait for blocks to be found: that takes microseconds, or 50 ms when the file system has to read
/// its maps of free blocks.
///
/// A spare that is never used has no header; recovery passes such a log over when no other names it as its predecessor.
final class SpareLog: @unchecked Sendable {
    struct Prepared {
        let file: any WritableFile
        let number: UInt64
        /// Space reserved for it.
        var bytes: UInt64
    }

    private let directory: any Directory
    private let numbers: FileNumbers
    private let firstBytes: UInt64
    private let fullBytes: UInt64
    private let isMapped: Bool
    private let lock = Lock()
    private var spare: Prepared?
    private var isClosed = false
    /// After a failure nothing is prepared ahead until a rotation has succeeded by itself.
    private var hasFailed = false
    /// What the next spare gets.
    private var wanted: UInt64

    /// `firstBytes` are reserved for a log ahead of its use, `fullBytes` in a store whose logs outgrow that.
    init(directory: any Directory, numbers: FileNumbers, firstBytes: UInt64, fullBytes: UInt64, isMapped: Bool) {
        self.directory = directory
        self.numbers = numbers
        self.firstBytes = firstBytes
        self.fullBytes = fullBytes
        self.isMapped = isMapped
        wanted = firstBytes
    }

    /// Makes a spare if there is none, or reserves more for the one there is, now that the current log has `logBytes`;
    /// not after that has just failed.
    func refill(logBytes: UInt64) throws(StorageError) {
        do throws(IOFailure) {
            guard let spare = try filled(logBytes) else { return }
            // Not under the lock, for which a rotation may wait. One that takes the spare meanwhile counts on less than is
            // there.
            try spare.file.preallocate(fullBytes)
            lock.withLock { if self.spare?.number == spare.number { self.spare?.bytes = fullBytes } }
        } catch {
            lock.withLock { hasFailed = true }
            throw error.storageError
        }
    }

    /// Makes a spare if there is none. Returns one that needs more space.
    private func filled(_ logBytes: UInt64) throws(IOFailure) -> Prepared? {
        try lock.withLock { () throws(IOFailure) in
            if logBytes > firstBytes { wanted = fullBytes }
            guard !isClosed, !hasFailed else { return nil }
            guard let spare else {
                spare = try prepare()
                return nil
            }
            return spare.bytes < wanted ? spare : nil
        }
    }

    /// A log that follows `previous`: in the spare file, or in one that is made now. Its name is durable.
    func take(previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        let prepared: Prepared = try lock.withLock { () throws(IOFailure) in
            defer { spare = nil }
            wanted = previous.size > firstBytes ? fullBytes : firstBytes
            if let spare { return spare }
            return try prepare()
        }
        do {
            let log = try LogWriter(
                file: prepared.file, number: prepared.number, kind: .wal, previous: previous,
                preallocated: prepared.bytes, isMapped: isMapped)
            lock.withLock { hasFailed = false }
            return log
        } catch {
            throw discarding(prepared.number, after: error)
        }
    }

    /// Removes the unused spare.
    func close() throws(IOFailure) {
        let unused: Prepared? = lock.withLock {
            isClosed = true
            defer { spare = nil }
            return spare
        }
        guard let unused else { return }
        try unused.file.close()
        try directory.remove(StoreLayout.log(unused.number))
    }

    /// Under `lock`.
    private func prepare() throws(IOFailure) -> Prepared {
        let number = numbers.allocate()
        do throws(IOFailure) {
            let file = try LogWriter.prepareFile(
                in: directory, name: StoreLayout.log(number), preallocate: wanted)
            // A file that is given up closes with its last reference.
            if !PlantedBug.isActive(.skipNewLogName) { try directory.sync() }
            return Prepared(file: file, number: number, bytes: wanted)
        } catch {
            throw discarding(number, after: error)
        }
    }

    /// Gives a file up whose making failed with `failure`, which is what the caller has to know: a file that can't be
    /// removed now only takes space until the next open.
    private func discarding(_ number: UInt64, after failure: IOFailure) -> IOFailure {
        do { try directory.remove(StoreLayout.log(number)) } catch { return failure }
        return failure
    }
}
