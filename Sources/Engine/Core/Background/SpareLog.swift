import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// The next log's file, created before it is needed. Creating it, reserving its space and syncing its name take
/// milliseconds that no writer should wait for.
///
/// While writers are busy, a spare has space for a whole memtable, so that they don't wait for block allocation. An
/// allocation takes microseconds, or 50 ms if the file system has to read its maps of free blocks. With slow writers a
/// spare has little space, and in an idle store next to none.
///
/// An unused spare has no header. Recovery skips such a log if no other log names it as its predecessor.
final class SpareLog: @unchecked Sendable {
    struct Prepared {
        let file: any WritableFile
        let number: UInt64
        /// The space reserved for the file.
        var bytes: UInt64
    }

    private let directory: any Directory
    private let numbers: FileNumbers
    private let restBytes: UInt64
    private let firstBytes: UInt64
    /// The most space that a log takes, unless a batch is very large.
    let fullBytes: UInt64
    private let isMapped: Bool
    /// True if records of the next logs may refer to value files. Under `lock`.
    private var hasValues: Bool
    /// Counts the logs that got less space than intended.
    private let shortages: ByteCounter
    private let owner: (any FileLock)?
    /// Parks the thread that maintains the space of logs and spare. It is woken when the spare is taken, and when a log
    /// runs short of space.
    let wakeup = Parker(spinCount: 0)
    private let lock = Lock()
    private var spare: Prepared?
    private var isClosed = false
    /// After a failure no spare is prepared until a rotation has created its own log.
    private var hasFailed = false
    /// The space for the next spare.
    private var wanted: UInt64

    /// Creates an empty holder.
    ///
    /// - Parameters:
    ///   - restBytes: The space that an idle store keeps.
    ///   - firstBytes: The space reserved ahead of slow writers.
    ///   - fullBytes: The space reserved ahead of busy writers.
    ///   - owner: The store's lock.
    init(
        directory: any Directory, numbers: FileNumbers, restBytes: UInt64, firstBytes: UInt64, fullBytes: UInt64,
        isMapped: Bool, hasValues: Bool = false, shortages: ByteCounter = ByteCounter(), owner: (any FileLock)? = nil
    ) {
        self.owner = owner
        self.directory = directory
        self.numbers = numbers
        self.restBytes = restBytes
        self.firstBytes = firstBytes
        self.fullBytes = fullBytes
        self.isMapped = isMapped
        self.hasValues = hasValues
        self.shortages = shortages
        wanted = firstBytes
    }

    /// Creates a spare if there is none and adjusts its space. Does nothing if that has just failed.
    func refill(_ activity: WriteActivity.Level) throws(StorageError) {
        do throws(IOFailure) {
            guard let spare = try filled(activity) else { return }
            // Not under the lock, which a rotation may need. A rotation that takes the spare meanwhile assumes less
            // space than there is.
            try spare.file.preallocate(fullBytes)
            lock.withLock { if self.spare?.number == spare.number { self.spare?.bytes = fullBytes } }
        } catch {
            lock.withLock { hasFailed = true }
            throw error.storageError
        }
    }

    /// Creates a spare if there is none, or truncates one that is too large. Returns the spare if it needs more space.
    ///
    /// It holds the lock, because the spare must not become a log meanwhile. A rotation at that moment waits some
    /// milliseconds; writers were not busy when the truncation began. Under slow writers a spare never grows, or it
    /// would grow and shrink with each of their pauses.
    private func filled(_ activity: WriteActivity.Level) throws(IOFailure) -> Prepared? {
        try lock.withLock { () throws(IOFailure) in
            wanted = activity == .busy ? fullBytes : firstBytes
            let most = activity == .none ? restBytes : wanted
            if let current = spare, current.bytes > most, current.file.keepsReservations {
                spare?.bytes = most
                try current.file.truncate(to: most)
            }
            guard !isClosed, !hasFailed else { return nil }
            guard let current = spare else {
                spare = try prepare()
                return nil
            }
            return activity == .busy && current.bytes < fullBytes ? current : nil
        }
    }

    /// Lets the records of all logs that begin from now on refer to value files.
    func allowReferences() { lock.withLock { hasValues = true } }

    /// Creates the file of the first log. The manifest has to name it before the log begins.
    func prepareFirst() throws(IOFailure) -> UInt64 {
        try lock.withLock { () throws(IOFailure) in
            let first = try prepare()
            spare = first
            return first.number
        }
    }

    /// Begins the log in the file that ``prepareFirst()`` created. The file stays even if that fails, because a
    /// manifest names it.
    func takeFirst(previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        try begin(try takeFile(), previous)
    }

    /// Begins a log that follows `previous`, in the spare file or in a new one. Its name is durable.
    func take(previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        try requireOwnership()
        let prepared = try takeFile()
        do { return try begin(prepared, previous) } catch { throw discarding(prepared.number, after: error) }
    }

    private func takeFile() throws(IOFailure) -> Prepared {
        try lock.withLock { () throws(IOFailure) in
            defer { spare = nil }
            if let spare { return spare }
            return try prepare()
        }
    }

    private func begin(_ prepared: Prepared, _ previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        let log = try LogWriter(
            file: prepared.file, number: prepared.number, kind: .wal, previous: previous,
            preallocated: prepared.bytes, isMapped: isMapped, hasValues: lock.withLock { hasValues },
            onShortage: { [wakeup] in wakeup.unpark() })
        log.owner = owner
        lock.withLock { hasFailed = false }
        wakeup.unpark()
        return log
    }

    /// Removes the unused spare.
    func close() throws(IOFailure) {
        let unused: Prepared? = lock.withLock {
            isClosed = true
            defer { spare = nil }
            return spare
        }
        guard let unused else { return }
        var failure: IOFailure?
        do throws(IOFailure) { try unused.file.close() } catch { failure = error }
        // The file holds no data, so it is removed even if closing it failed.
        try directory.remove(StoreLayout.log(unused.number))
        if let failure { throw failure }
    }

    /// Removes the file of the first log if no manifest names it.
    func discardFirst() throws(IOFailure) {
        let first: Prepared? = lock.withLock {
            defer { spare = nil }
            return spare
        }
        if let first { try directory.remove(StoreLayout.log(first.number)) }
    }

    /// Creates a log's file. If the disk has no space for the usual size it creates a small file, which grows while
    /// there is space. Under `lock`.
    private func prepare() throws(IOFailure) -> Prepared {
        try requireOwnership()
        let number = numbers.allocate()
        do throws(IOFailure) {
            let (file, bytes) = try makeFile(StoreLayout.log(number))
            // A failure below releases the last reference to the file, which closes it.
            if !PlantedBug.isActive(.skipNewLogName) { try directory.sync() }
            return Prepared(file: file, number: number, bytes: bytes)
        } catch {
            throw discarding(number, after: error)
        }
    }

    private func makeFile(_ name: String) throws(IOFailure) -> (file: any WritableFile, bytes: UInt64) {
        let file = try LogWriter.prepareFile(in: directory, name: name, preallocate: 0)
        let sizes = [wanted, restBytes, SpareLog.leastBytes].filter { $0 <= wanted }
        for size in sizes.dropLast() {
            do throws(IOFailure) {
                try file.preallocate(size)
                return (file, size)
            } catch {
                guard error.isOutOfSpace else { throw error }
                shortages.add(1)
            }
        }
        try file.preallocate(sizes.last ?? wanted)
        return (file, sizes.last ?? wanted)
    }

    /// The smallest size of a log: two blocks.
    private static let leastBytes: UInt64 = 64 << 10

    /// Throws if the store's lock is lost: another process may have opened the store and may allocate the same numbers.
    private func requireOwnership() throws(IOFailure) {
        if !PlantedBug.isActive(.trustLostLock) { try owner?.verify() }
    }

    /// Removes a file whose creation failed with `failure`, and returns `failure`. If the removal fails the file only
    /// takes space until the next open.
    private func discarding(_ number: UInt64, after failure: IOFailure) -> IOFailure {
        do { try directory.remove(StoreLayout.log(number)) } catch { return failure }
        return failure
    }
}
