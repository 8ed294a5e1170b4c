public import ShaleBase

/// A change of the free space in the store's file system.
public enum SpaceEvent: Sendable, Hashable {
    /// Less is free than the limit: time for a purge.
    case low(freeBytes: UInt64)
    /// Enough is free again.
    case recovered(freeBytes: UInt64)
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
    ) throws(StorageError) -> AsyncStream<SpaceEvent> {
        let (more, isBeyond) = below.addingReportingOverflow(below / 8)
        let recoveredAt = recoveredAt ?? (isBeyond ? .max : more)
        guard recoveredAt >= below else { throw .invalid("recoveredAt=\(recoveredAt) is smaller than below=\(below)") }
        try core.requireOpen()
        let stream = core.spaceWatches.add(below: below, recoveredAt: recoveredAt)
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
        core.spaceWatches.tell(free)
        return free
    }
}
