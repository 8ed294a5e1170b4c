public import ShaleBase
import ShalePlatform
import Synchronization

extension Engine {
    /// Returns the changes after `sequence`, read from the store's files. The engine may be the owner of the store, or
    /// read-only beside an owner in another process.
    ///
    /// ```swift
    /// let reader = try Engine.open(at: path, options: readOnly)
    /// for try await batch in try reader.changeLog(after: processed) {
    ///     if batch.isGap { try readAll(reader.refreshed()) }
    ///     for change in batch.changes { try process(change) }
    ///     try save(batch.sequences.upperBound)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - sequence: The last sequence that the caller has processed; `nil` for that of this engine's newest state, so
    ///     that the state and the changes together miss nothing.
    ///   - pollInterval: The time between two looks at the files while there is nothing new; at least 1 ms.
    ///   - clock: The clock that measures the interval.
    /// - Complexity: O(size of the first log that is needed). The call holds this log and the later ones, within the
    ///   owner's bounds: see ``ChangeLog``.
    /// - Throws: `.invalidArgument`, `.closed`, and the errors of reading manifest and logs.
    public func changeLog(
        after sequence: SequenceNumber? = nil, pollInterval: Duration = .milliseconds(100),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(StorageError) -> ChangeLog {
        guard pollInterval >= .milliseconds(1) else {
            throw .invalid("the interval of a change log is at least 1 ms interval=\(pollInterval)")
        }
        try core.committer.requireOwnProcess()
        let follower = try core.followers.begin { [core] () throws(StorageError) in
            guard !core.gate.isClosed else { throw EngineCore.closedError }
            let start = sequence ?? core.committer.visible.load(ordering: .acquiring)
            return try ChangeFollower(core.directories, after: start)
        }
        return ChangeLog(follower, pollInterval, clock)
    }

    /// The changes of a store, read from its logs and manifests: every batch and control operation once, in the order
    /// of sequences, each batch whole.
    ///
    /// - A batch is delivered after it was logged, usually within the poll interval. What was delivered survives the
    ///   death of the owner's process. A power failure can take it back unless it was synced.
    /// - What a follower has not read yet is kept for it by the owner, within ``Engine/Options/readerTimeMax`` and
    ///   ``Engine/Options/readerBytesMax``. What is gone is delivered as a gap (``ChangeBatch/isGap``), and so is a
    ///   start above the last sequence of the store: it is older than the caller knew, or another. Read a newer state
    ///   after a gap.
    /// - Expiry writes nothing and is not delivered. Compaction is no change.
    /// - A change does not hold the value: read it from a newer state.
    ///
    /// At most 1 MiB of records, or one batch, is read ahead. Nothing is read while nobody asks, and between two looks
    /// the task sleeps. Copies and iterators share the position, so each batch is delivered to only one of them.
    /// Thread-safe.
    ///
    /// It ends with `.closed` when the engine that began it is closed, and with `nil` when its task is cancelled. Later
    /// states of a read-only engine may come and go meanwhile. After another error it can be read on.
    public struct ChangeLog: AsyncSequence, Sendable {
        public typealias Element = ChangeBatch
        public typealias Failure = StorageError

        private let follower: ChangeFollower
        private let pollInterval: Duration
        private let clock: any Clock<Duration>

        init(_ follower: ChangeFollower, _ pollInterval: Duration, _ clock: any Clock<Duration>) {
            self.follower = follower
            self.pollInterval = pollInterval
            self.clock = clock
        }

        /// Returns the next batch, or `nil` if there is none yet. Blocks for the disk alone.
        ///
        /// - Complexity: Without news some system calls, tens of microseconds.
        /// - Throws: `.closed` after ``cancel()`` and after the engine was closed, and the errors of reading.
        public func nextAvailable() throws(StorageError) -> ChangeBatch? { try follower.next() }

        /// Ends the sequence and releases the store's files.
        public func cancel() { follower.end() }

        public func makeAsyncIterator() -> Iterator {
            Iterator(follower: follower, pollInterval: pollInterval, clock: clock)
        }

        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let follower: ChangeFollower
            fileprivate let pollInterval: Duration
            fileprivate let clock: any Clock<Duration>

            /// Returns the next batch. Sleeps while there is none; `nil` once the task is cancelled.
            public mutating func next(
                isolation: isolated (any Actor)? = #isolation
            ) async throws(StorageError) -> ChangeBatch? {
                let follower = follower
                while !Task.isCancelled {
                    if let batch = try follower.takeRead() { return batch }
                    do throws(StorageError) {
                        let batch = try await BlockingWork.run { (_) throws(StorageError) in try follower.next() }
                        if let batch { return batch }
                    } catch {
                        guard error.code == .cancelled else { throw error }
                    }
                    // Ends early only if the task is cancelled.
                    do { try await clock.sleep(for: pollInterval) } catch { break }
                }
                follower.end()
                return nil
            }
        }
    }
}

/// The followers of an engine's changes, which end with the engine. Thread-safe.
final class ChangeFollowers: Sendable {
    private struct Entry: Sendable {
        weak var follower: ChangeFollower?
    }

    private let entries = Locked<[Entry]>([])

    /// Registers the follower that `body` makes. No follower begins after ``endAll()`` if `body` then throws.
    func begin(_ body: () throws(StorageError) -> ChangeFollower) throws(StorageError) -> ChangeFollower {
        try entries.withLock { (entries) throws(StorageError) in
            let follower = try body()
            entries.removeAll { $0.follower == nil }
            entries.append(Entry(follower: follower))
            return follower
        }
    }

    func endAll() {
        let all = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        for entry in all { entry.follower?.end() }
    }
}
