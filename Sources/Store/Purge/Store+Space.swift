public import ShaleBase

/// A change of the space that is left in the store's file system.
public enum SpaceEvent: Sendable, Hashable {
    /// Less is free than was asked for: time for a purge.
    case low(freeBytes: UInt64)
    /// Enough is free again.
    case recovered(freeBytes: UInt64)
}

extension Store {
    /// Tells when less than `below` bytes are free where the store is, and again when at least `recoveredAt` are; by default
    /// that is an eighth more, so that space that goes back and forth across one limit is not told each time. The first
    /// look is at once, then every ten seconds and with each ``checkSpace()``. Each call gives a stream of its own, which
    /// ends with the store.
    ///
    /// ```swift
    /// for await case .low in try store.spaceEvents(below: 500 << 20) { try await store.purge() }
    /// ```
    /// Errors: `.invalidArgument` when `recoveredAt` is less than `below`, `.closed`, `.ioFailure`.
    public func spaceEvents(
        below: UInt64, recoveredAt: UInt64? = nil
    ) throws(StorageError) -> AsyncStream<SpaceEvent> {
        let (more, isBeyond) = below.addingReportingOverflow(below / 8)
        let recoveredAt = recoveredAt ?? (isBeyond ? .max : more)
        guard recoveredAt >= below else { throw .invalid("space would recover below the limit that it is low at") }
        try core.requireOpen()
        let stream = core.spaceWatches.add(below: below, recoveredAt: recoveredAt)
        try checkSpace()
        try core.purgeScheduler.start(for: core)
        return stream
    }

    /// The bytes that are free for the store's user where the store is. Who watches is told now, if that is news.
    @discardableResult
    public func checkSpace() throws(StorageError) -> UInt64 {
        try core.requireOpen()
        let free = try core.engine.freeBytes
        core.spaceWatches.tell(free)
        return free
    }
}
