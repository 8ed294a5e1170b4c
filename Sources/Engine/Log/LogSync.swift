package import ShaleBase
import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The first failure of a log, which every later call throws.
struct FirstFailure: ~Copyable, Sendable {
    private let isSet = Atomic<Bool>(false)
    private let first = Locked<IOFailure?>(nil)

    /// True if a failure has been recorded. The thread that uses the writer sees its own failures.
    @inline(__always)
    var exists: Bool { isSet.load(ordering: .relaxed) }

    /// The first failure; nil if there is none.
    var current: IOFailure? { isSet.load(ordering: .acquiring) ? first.withLock { $0 } : nil }

    /// Records `failure` unless an earlier one is recorded, and returns the one to throw.
    @inline(never)
    func record(_ failure: IOFailure) -> IOFailure {
        let earliest = first.withLock { stored in
            let earliest = stored ?? failure
            stored = earliest
            return earliest
        }
        isSet.store(true, ordering: .releasing)
        return earliest
    }

    /// Returns the failure that a call on the failed log `name` throws.
    @inline(never)
    func failure(of name: String) -> IOFailure { first.withLock { $0 } ?? IOFailure("append", name, EIO) }
}

/// Syncs of a log's file, one at a time.
///
/// 1. A failed sync is never repeated: the kernel may have dropped data that it could not write, and would report
///    success.
/// 2. For the same reason only one sync runs at a time: the kernel reports the failure to one of two concurrent syncs.
///    A second caller waits, and then syncs or throws the failure of the first.
/// 3. The sync also fails if the lock's owner has lost its name by the end. If it has not, a later holder of that name
///    finds the synced data in the file.
package struct LogSync: ~Copyable, Sendable {
    package typealias Work = @Sendable () throws(IOFailure) -> Void

    private let running = Lock()
    private let preceding = Locked<Work?>(nil)

    /// Sets the work that every sync does first: it makes durable what records refer to. Called before the first such
    /// record is appended, so no sync makes one durable alone.
    func precede(by work: @escaping Work) { preceding.withLock { $0 = work } }

    /// Syncs `file`, and records an error in `failures`.
    ///
    /// - Parameter owner: The lock that must still be held when the data becomes durable.
    func run(
        _ file: any WritableFile, owner: (any FileLock)?, _ failures: borrowing FirstFailure
    ) throws(IOFailure) {
        let isAlone = !PlantedBug.isActive(.overlapSyncs)
        if isAlone { running.lock() }
        defer { if isAlone { running.unlock() } }
        if let failure = failures.current { throw failure }
        do {
            if let work = preceding.withLock({ $0 }), !PlantedBug.isActive(.skipValueSync) { try work() }
            try file.sync()
            if !PlantedBug.isActive(.trustLostLock) { try owner?.verify() }
        } catch {
            if PlantedBug.isActive(.ignoreSyncFailure) { return }
            if PlantedBug.isActive(.retryFailedSync) { return try file.sync() }
            throw failures.record(error)
        }
    }
}

extension LogWriter {
    /// Makes everything durable, with a mark that records it if there is space for one. No append follows.
    package func seal() throws(IOFailure) {
        let size = endOffset
        guard size > UInt64(LogFormat.headerSize) else { return }
        try sync()
        markSynced(through: size)
        do throws(IOFailure) {
            try appendMark()
        } catch {
            guard error.isOutOfSpace, failure == nil else { throw error }
            return
        }
        try sync()
    }
}
