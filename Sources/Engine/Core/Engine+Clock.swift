extension Engine {
    /// The time that readers compare expiry with, in milliseconds since 1970.
    ///
    /// If ``EngineOptions/time`` goes back by a day or less, this time stands still until the machine's clock has
    /// caught up, also across restarts. It goes back by more only if earlier readings turn out to be wrong.
    /// ``EngineEvent/clockSetBack(milliseconds:)`` or ``RecoveryReport/discardedClockMilliseconds`` reports that.
    public var wallMilliseconds: Int64 { core.clock.now }

    /// The time that removal uses, in milliseconds since 1970: flushes and compactions remove entries that have expired
    /// by it.
    ///
    /// It is never ahead of ``wallMilliseconds``, and behind while ``EngineStatistics/clockDoubt`` is not `nil`.
    /// Callers that delete by age should use it too.
    public var trustedMilliseconds: Int64 { core.clock.trusted }
}
