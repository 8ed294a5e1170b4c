import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// The next log's file, made before it is needed: creating it, reserving its space and syncing its name take
/// milliseconds that no writer should wait for.
///
/// A spare has space for a whole memtable while writers are busy, so that these do not wait for blocks to be found: that
/// takes microseconds, or 50 ms when the file system has to read its maps of free blocks. It has little in a store that is
/// hardly written to, and next to none in one that is not.
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
    private let restBytes: UInt64
    private let firstBytes: UInt64
    /// What a log takes at most, if no batch is very large.
    let fullBytes: UInt64
    private let isMapped: Bool
    /// Counts the logs that are smaller than they should be.
    private let shortages: ByteCounter
    private let owner: (any FileLock)?
    /// Where the thread that keeps logs and spare in shape waits: it is woken when the spare has been taken, and when a log
    /// runs short of space.
    let attention = Parker(spinCount: 0)
    private let lock = Lock()
    private var spare: Prepared?
    private var isClosed = false
    /// After a failure nothing is prepared ahead until a rotation has succeeded by itself.
    private var hasFailed = false
    /// What the next spare gets.
    private var wanted: UInt64

    /// `firstBytes` are reserved for a log ahead of its use, `fullBytes` while writers are busy, and `restBytes` are left
    /// when nobody writes. `owner` is the store's lock.
    init(
        directory: any Directory, numbers: FileNumbers, restBytes: UInt64, firstBytes: UInt64, fullBytes: UInt64,
        isMapped: Bool, shortages: ByteCounter = ByteCounter(), owner: (any FileLock)? = nil
    ) {
        self.owner = owner
        self.directory = directory
        self.numbers = numbers
        self.restBytes = restBytes
        self.firstBytes = firstBytes
        self.fullBytes = fullBytes
        self.isMapped = isMapped
        self.shortages = shortages
        wanted = firstBytes
    }

    /// Makes a spare if there is none, and gives it the space that it should have; not after that has just failed.
    func refill(_ activity: LogPace.Activity) throws(StorageError) {
        do throws(IOFailure) {
            guard let spare = try filled(activity) else { return }
            // Not under the lock, for which a rotation may wait. One that takes the spare meanwhile counts on less than is
            // there.
            try spare.file.preallocate(fullBytes)
            lock.withLock { if self.spare?.number == spare.number { self.spare?.bytes = fullBytes } }
        } catch {
            lock.withLock { hasFailed = true }
            throw error.storageError
        }
    }

    /// Makes a spare if there is none, or cuts one that is too large: under the lock, because it must not become a log
    /// meanwhile. (A rotation that comes just then waits some milliseconds; nobody was busy when the cut began.) Returns
    /// one that needs more space: for slow writers none does, or it would grow and shrink with each pause of theirs.
    private func filled(_ activity: LogPace.Activity) throws(IOFailure) -> Prepared? {
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

    /// Makes the file of an opening's first log, which the manifest has to name before the log begins.
    func prepareFirst() throws(IOFailure) -> UInt64 {
        try lock.withLock { () throws(IOFailure) in
            let first = try prepare()
            spare = first
            return first.number
        }
    }

    /// The log in the file that ``prepareFirst()`` made. The file stays even if that fails: a manifest names it.
    func takeFirst(previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        try begin(try takeFile(), previous)
    }

    /// A log that follows `previous`: in the spare file, or in one that is made now. Its name is durable.
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
            preallocated: prepared.bytes, isMapped: isMapped,
            onShortage: { [attention] in attention.unpark() })
        log.owner = owner
        lock.withLock { hasFailed = false }
        attention.unpark()
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
        // Nothing that is in it counts: it goes, closed or not.
        try directory.remove(StoreLayout.log(unused.number))
        if let failure { throw failure }
    }

    /// Removes the file of an opening's first log, which no manifest names after all.
    func discardFirst() throws(IOFailure) {
        let first: Prepared? = lock.withLock {
            defer { spare = nil }
            return spare
        }
        if let first { try directory.remove(StoreLayout.log(first.number)) }
    }

    /// Under `lock`. Where the disk has no space for a log of the usual size, a small one is made: it grows while there is
    /// space.
    private func prepare() throws(IOFailure) -> Prepared {
        try requireOwnership()
        let number = numbers.allocate()
        do throws(IOFailure) {
            let (file, bytes) = try makeFile(StoreLayout.log(number))
            // A file that is given up closes with its last reference.
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

    /// The smallest log: two blocks.
    private static let leastBytes: UInt64 = 64 << 10

    /// Without the lock, no new log: another opener may give out the same numbers.
    private func requireOwnership() throws(IOFailure) {
        if !PlantedBug.isActive(.trustLostLock) { try owner?.verify() }
    }

    /// Gives a file up whose making failed with `failure`, which is what the caller has to know: a file that can't be
    /// removed now only takes space until the next open.
    private func discarding(_ number: UInt64, after failure: IOFailure) -> IOFailure {
        do { try directory.remove(StoreLayout.log(number)) } catch { return failure }
        return failure
    }
}
