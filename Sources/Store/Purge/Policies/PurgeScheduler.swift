import ShaleBase
import ShalePlatform

/// The thread that applies policies at their interval and checks the free space. It is started when it is first needed.
/// Thread-safe.
final class PurgeScheduler: @unchecked Sendable {
    /// The interval between checks of the free space while anyone watches it: 10 s.
    private static let spaceNanoseconds: UInt64 = 10_000_000_000

    private let lock = Lock()
    private let changed: Condition
    // Under `lock`.
    private var thread: WorkerThread?
    private var isStopping = false

    init() { changed = Condition(lock) }

    /// Starts the thread unless it runs. The thread does not retain the store and ends with it.
    func start(for core: StoreCore) throws(StorageError) {
        try lock.withLock { () throws(StorageError) in
            guard thread == nil, !isStopping else { return }
            let interval = core.options.purgeInterval.map {
                UInt64(max(1, $0.wholeMilliseconds)).multipliedReportingOverflow(by: 1_000_000)
            }
            let nanoseconds = interval.map { $0.overflow ? .max : $0.partialValue } ?? .max
            do throws(IOFailure) {
                thread = try WorkerThread.start(name: "shale-policies") { [weak core, self] in
                    run(nanoseconds) { core }
                }
            } catch {
                throw error.storageError
            }
        }
    }

    /// Stops the thread and waits for it. Work in progress is cancelled at its next check.
    func stop() {
        let thread = lock.withLock {
            isStopping = true
            changed.broadcast()
            return self.thread
        }
        thread?.join()
    }

    private var hasToStop: Bool { lock.withLock { isStopping } }

    private func run(_ interval: UInt64, _ core: () -> StoreCore?) {
        let time = SystemTime()
        var last = time.monotonicNanoseconds
        while wait(min(interval, PurgeScheduler.spaceNanoseconds)) {
            guard let core = core() else { return }
            core.freeSpaceMonitor.check(core)
            guard time.monotonicNanoseconds - last >= interval else { continue }
            apply(core)
            last = time.monotonicNanoseconds
        }
    }

    /// Waits for the interval. Returns false if the thread has to end.
    private func wait(_ nanoseconds: UInt64) -> Bool {
        lock.withLock {
            if !isStopping { _ = changed.timedWait(nanoseconds: nanoseconds) }
            return !isStopping
        }
    }

    /// Applies policies to entries, then to registered files. A failure of one does not prevent the other, unless the
    /// store is being closed.
    private func apply(_ core: StoreCore) {
        guard core.options.engine.mode != .readOnly else { return }
        var entries = PolicyRun.Outcome()
        var outside: [PurgeableReport] = []
        let check = { [self] () throws(StorageError) in
            if hasToStop { throw StorageError(.cancelled, "the store is being closed") }
        }
        attempt(core) { () throws(StorageError) in
            entries = try core.applyPolicies(.all, isDry: false) { (_) throws(StorageError) in try check() }
        }
        attempt(core) { () throws(StorageError) in
            outside = try core.purgeOutside(.all, isDry: false, .policies, check)
        }
        for error in [entries.damage.errors.first].compactMap(\.self) + outside.flatMap(\.failures).prefix(1) {
            core.purgeEvents.send(.failed(error))
        }
        guard entries.entries > 0 || outside.contains(where: { $0.files > 0 }) else { return }
        core.purgeEvents.send(
            .applied(
                PurgeReport(
                    entries: entries.entries, logicalBytes: UInt64(entries.bytes), returnedBytes: 0,
                    isEstimate: false, outside: outside, damage: entries.damage)))
    }

    private func attempt(_ core: StoreCore, _ work: () throws(StorageError) -> Void) {
        do throws(StorageError) {
            try work()
        } catch {
            if error.code != .cancelled, error.code != .closed { core.purgeEvents.send(.failed(error)) }
        }
    }
}
