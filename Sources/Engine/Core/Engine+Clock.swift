extension Engine {
    /// The time that expiry is compared with, in milliseconds since 1970.
    ///
    /// It does not go back with ``EngineOptions/time`` by a day or less, not even across restarts: it stands still until the
    /// machine's clock has caught up. It goes back by more when readings that were ahead turn out to have been wrong: then
    /// ``EngineEvent/clockSetBack(milliseconds:)`` or ``RecoveryReport/discardedClockMilliseconds`` tells.
    public var wallMilliseconds: Int64 { core.clock.now }

    /// The time that removal goes by, in milliseconds since 1970: what has expired by it, flushes and compactions leave out.
    ///
    /// It is never ahead of ``wallMilliseconds``, and behind while ``EngineStatistics/clockDoubt`` is not `nil`. Whatever
    /// deletes by age should go by it.
    public var trustedMilliseconds: Int64 { core.clock.trusted }
}
