public import ShaleBase
import ShalePlatform

extension Store {
    /// A change of the free space in the store's file system.
    public enum SpaceEvent: Sendable, Hashable {
        /// Less is free than the limit: time for a purge.
        case low(freeBytes: UInt64)
        /// Enough is free again.
        case recovered(freeBytes: UInt64)
    }
}

extension Store {
    /// Reports when less than `below` bytes are free in the store's file system, and when at least `recoveredAt` bytes
    /// are free again.
    ///
    /// By default `recoveredAt` is an eighth more than `below`, so that space that varies around one limit does not
    /// send an event each time. Free space is checked at once, at least every 10 s, and with each ``checkSpace()``.
    /// Each call returns a new stream, which ends when the store is closed.
    ///
    /// ```swift
    /// for await case .low in try store.spaceEvents(below: 500 << 20) { try await store.purge() }
    /// ```
    ///
    /// - Throws: `.invalidArgument` if `recoveredAt` is less than `below`; `.closed`; `.ioFailure`.
    public func spaceEvents(
        below: UInt64, recoveredAt: UInt64? = nil
    ) throws(StorageError) -> AsyncStream<Store.SpaceEvent> {
        let (more, isBeyond) = below.addingReportingOverflow(below / 8)
        let recoveredAt = recoveredAt ?? (isBeyond ? .max : more)
        guard recoveredAt >= below else { throw .invalid("recoveredAt=\(recoveredAt) is smaller than below=\(below)") }
        try core.requireOpen()
        let stream = core.freeSpaceMonitor.add(below: below, recoveredAt: recoveredAt)
        try checkSpace()
        try core.purgeScheduler.start(for: core)
        return stream
    }

    /// Returns the bytes that are free for the store's user in its file system. Notifies observers if the state
    /// changed.
    @discardableResult
    public func checkSpace() throws(StorageError) -> UInt64 {
        try core.requireOpen()
        let free = try core.engine.freeBytes
        core.freeSpaceMonitor.notify(free)
        return free
    }
}

/// The streams of callers that watch the free space. Thread-safe. Checks run one after the other, so every stream gets
/// its events in order.
final class FreeSpaceMonitor: Sendable {
    private struct Watch: Sendable {
        let below: UInt64
        let recoveredAt: UInt64
        let continuation: AsyncStream<Store.SpaceEvent>.Continuation
        var isLow = false
    }

    private struct State: Sendable {
        var lastID = 0
        var watches: [Int: Watch] = [:]
    }

    private let state = Locked(State())

    deinit { for watch in state.withLock({ $0.watches.values }) { watch.continuation.finish() } }

    func add(below: UInt64, recoveredAt: UInt64) -> AsyncStream<Store.SpaceEvent> {
        let (stream, continuation) = AsyncStream<Store.SpaceEvent>.makeStream(bufferingPolicy: .bufferingNewest(16))
        let id = state.withLock { state in
            state.lastID += 1
            state.watches[state.lastID] = Watch(below: below, recoveredAt: recoveredAt, continuation: continuation)
            return state.lastID
        }
        continuation.onTermination = { [weak self] _ in
            // Releases the watch outside the lock.
            let gone = self?.state.withLock { $0.watches.removeValue(forKey: id) }
            withExtendedLifetime(gone) {}
        }
        return stream
    }

    func notify(_ freeBytes: UInt64) {
        state.withLock { state in
            for (id, watch) in state.watches {
                if !watch.isLow, freeBytes < watch.below {
                    state.watches[id]?.isLow = true
                    watch.continuation.yield(.low(freeBytes: freeBytes))
                } else if watch.isLow, freeBytes >= watch.recoveredAt {
                    state.watches[id]?.isLow = false
                    watch.continuation.yield(.recovered(freeBytes: freeBytes))
                }
            }
        }
    }

    /// Checks the free space and sends events. If the file system does not answer, the next check tries again.
    func check(_ core: StoreCore) {
        guard state.withLock({ !$0.watches.isEmpty }) else { return }
        do throws(StorageError) {
            notify(try core.engine.freeBytes)
        } catch {
            core.purgeEvents.send(.failed(error))
        }
    }

    /// Ends all streams when the store is closed.
    func finish() {
        let watches = state.withLock { state in
            defer { state.watches = [:] }
            return state.watches.values
        }
        for watch in watches { watch.continuation.finish() }
    }
}
