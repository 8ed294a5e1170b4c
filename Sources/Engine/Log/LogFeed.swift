package import ShaleBase
import ShalePlatform

/// Hands a log's records over in groups. With a thread of its own, reading and verifying the next groups goes on while
/// the caller works on one; without, each is read when it is asked for.
///
/// `next` and `stop` belong to one thread. Memory: ``groupCount`` groups, and what the reader needs.
package final class LogFeed: @unchecked Sendable {
    private static let groupCount = 4

    private let reader: LogReader
    private let groups: [LogRecordGroup]
    private let thread: WorkerThread?
    private let progress = Progress()
    /// Whether the caller works on the group that was handed over last.
    private var isUsing = false
    /// The empty one that tells how reading ended, once it has come.
    private var last: LogRecordGroup?

    /// How far both sides have come. Groups take turns, so counts say which is whose.
    private final class Progress: @unchecked Sendable {
        let lock = Lock()
        /// Signalled when a count rises, and when stopping.
        let changed: Condition
        // Under `lock`.
        var filled = 0
        var used = 0
        var isStopping = false

        init() { changed = Condition(lock) }
    }

    /// `isAhead`: on a thread of its own, if the system gives one. The reader belongs to this object until ``stop()``, or
    /// until `next` has returned nil.
    package init(_ reader: LogReader, isAhead: Bool) {
        self.reader = reader
        let groups = (0..<(isAhead ? LogFeed.groupCount : 1)).map { _ in LogRecordGroup() }
        self.groups = groups
        guard isAhead else {
            thread = nil
            return
        }
        let work = Work(reader: reader, groups: groups, progress: progress)
        do { thread = try WorkerThread.start(name: "shale-replay") { work.run() } } catch { thread = nil }
    }

    deinit { stop() }

    /// The next records, at least one, or nil at the log's end. Valid until the next call. What ended reading is thrown
    /// when everything before it was handed over.
    package func next() throws(StorageError) -> LogRecordGroup? {
        let group = last ?? (thread == nil ? fill() : take())
        guard group.isEmpty else { return group }
        last = group
        if let failure = group.failure { throw failure }
        return nil
    }

    /// Ends reading, wherever it is. Idempotent.
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

    /// The thread's side. The last group it fills is empty and tells how reading ended.
    private struct Work: @unchecked Sendable {
        let reader: LogReader
        let groups: [LogRecordGroup]
        let progress: Progress

        func run() {
            var count = 0
            while waitForTurn(count) {
                let group = groups[count % groups.count]
                group.fill(from: reader)
                count += 1
                progress.lock.withLock {
                    progress.filled = count
                    progress.changed.broadcast()
                }
                if group.isEmpty { return }
                if group.isLending, !waitUntilUsed(count) { return }
            }
        }

        /// Waits for a group that is free. False when nobody wants more.
        private func waitForTurn(_ count: Int) -> Bool { waitUntilUsed(count + 1 - groups.count) }

        private func waitUntilUsed(_ count: Int) -> Bool {
            progress.lock.withLock {
                while progress.used < count, !progress.isStopping { progress.changed.wait() }
                return !progress.isStopping
            }
        }
    }
}
