extension Engine {
    /// The wall clock that expiry is compared with, in milliseconds since 1970. It never goes back, not even across
    /// restarts, so it can run ahead of ``EngineOptions/time`` after the machine's clock was set back.
    public var wallMilliseconds: Int64 { core.clock.now }
}
