import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

/// The next log's file, made before it is needed: creating it, reserving its space and syncing its name take
/// milliseconds that no writer should wait for.
///
/// A spare that is never used has no header; recovery passes such a log over when no other names it as its predecessor.
final class SpareLog: @unchecked Sendable {
    struct Prepared {
        let file: any WritableFile
        let number: UInt64
    }

    private let directory: any Directory
    private let numbers: FileNumbers
    private let preallocate: UInt64
    private let isMapped: Bool
    private let lock = Lock()
    private var spare: Prepared?
    private var isClosed = false
    /// After a failure nothing is prepared ahead until a rotation has succeeded by itself.
    private var hasFailed = false

    init(directory: any Directory, numbers: FileNumbers, preallocate: UInt64, isMapped: Bool) {
        self.directory = directory
        self.numbers = numbers
        self.preallocate = preallocate
        self.isMapped = isMapped
    }

    /// Makes a spare if there is none, unless that has just failed.
    func refill() throws(StorageError) {
        try lock.withLock { () throws(StorageError) in
            guard spare == nil, !isClosed, !hasFailed else { return }
            do throws(IOFailure) {
                spare = try prepare()
            } catch {
                hasFailed = true
                throw error.storageError
            }
        }
    }

    /// A log that follows `previous`: in the spare file, or in one that is made now. Its name is durable.
    func take(previous: LogPredecessor) throws(IOFailure) -> LogWriter {
        let prepared: Prepared = try lock.withLock { () throws(IOFailure) in
            defer { spare = nil }
            if let spare { return spare }
            return try prepare()
        }
        do {
            let log = try LogWriter(
                file: prepared.file, number: prepared.number, kind: .wal, previous: previous, preallocated: preallocate,
                isMapped: isMapped)
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

    private func prepare() throws(IOFailure) -> Prepared {
        let number = numbers.allocate()
        do throws(IOFailure) {
            let file = try LogWriter.prepareFile(
                in: directory, name: StoreLayout.log(number), preallocate: preallocate)
            // A file that is given up closes with its last reference.
            try directory.sync()
            return Prepared(file: file, number: number)
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
