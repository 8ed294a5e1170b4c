package import ShaleBase
import ShalePlatform

/// Reads a log and returns its records in groups. With its own thread it reads and verifies the next groups while the
/// caller processes one. Without a thread it reads each group on request.
///
/// `next` and `stop` belong to one thread. It takes the memory of ``groupCount`` groups and the reader.
package final class LogPrefetcher: @unchecked Sendable {
    private static let groupCount = 4

    private let reader: LogReader
    private let groups: [LogRecordGroup]
    private let thread: WorkerThread?
    private let progress = Progress()
    /// True if the caller is processing the group that was returned last.
    private var isUsing = false
    /// The empty group that tells how reading ended, once it has been returned.
    private var last: LogRecordGroup?

    /// The numbers of groups filled and used. Groups are used in rotation, so the numbers determine which side owns a
    /// group.
    private final class Progress: @unchecked Sendable {
        let lock = Lock()
        /// Signalled when a number rises, and when stopping.
        let changed: Condition
        // Under `lock`.
        var filled = 0
        var used = 0
        var isStopping = false

        init() { changed = Condition(lock) }
    }

    /// Creates a prefetcher. The reader belongs to it until ``stop()``, or until `next` has returned nil.
    ///
    /// - Parameter isAhead: Reads on its own thread, unless the system can't start one.
    package init(_ reader: LogReader, isAhead: Bool) {
        self.reader = reader
        let groups = (0..<(isAhead ? LogPrefetcher.groupCount : 1)).map { _ in LogRecordGroup() }
        self.groups = groups
        guard isAhead else {
            thread = nil
            return
        }
        let work = Work(reader: reader, groups: groups, progress: progress)
        do { thread = try WorkerThread.start(name: "shale-replay") { work.run() } } catch { thread = nil }
    }

    deinit { stop() }

    /// Returns the next records, at least one, or nil at the log's end. They are valid until the next call. The error
    /// that ended reading is thrown after all records before it were returned.
    package func next() throws(StorageError) -> LogRecordGroup? {
        let group = last ?? (thread == nil ? fill() : take())
        guard group.isEmpty else { return group }
        last = group
        if let failure = group.failure { throw failure }
        return nil
    }

    /// Ends reading at any point. Idempotent.
    package func stop() {
        progress.lock.withLock {
            progress.isStopping = true
            progress.changed.broadcast()
        }
        thread?.join()
    }

    private func fill() -> LogRecordGroup {
        let group = groups[0]
        group.fill(from: reader)
        return group
    }

    private func take() -> LogRecordGroup {
        progress.lock.withLock {
            if isUsing {
                progress.used += 1
                progress.changed.broadcast()
            }
            isUsing = true
            while progress.filled == progress.used { progress.changed.wait() }
            return groups[progress.used % groups.count]
        }
    }

    /// The thread's work. The last group that it fills is empty and tells how reading ended.
    private struct Work: @unchecked Sendable {
        let reader: LogReader
        let groups: [LogRecordGroup]
        let progress: Progress

        func run() {
            var count = 0
            while waitForFreeGroup(count) {
                let group = groups[count % groups.count]
                group.fill(from: reader)
                count += 1
                progress.lock.withLock {
                    progress.filled = count
                    progress.changed.broadcast()
                }
                if group.isEmpty { return }
                if group.holdsReader, !waitUntilUsed(count) { return }
            }
        }

        /// Waits for a free group. Returns false if reading should stop.
        private func waitForFreeGroup(_ count: Int) -> Bool { waitUntilUsed(count + 1 - groups.count) }

        private func waitUntilUsed(_ count: Int) -> Bool {
            progress.lock.withLock {
                while progress.used < count, !progress.isStopping { progress.changed.wait() }
                return !progress.isStopping
            }
        }
    }
}
