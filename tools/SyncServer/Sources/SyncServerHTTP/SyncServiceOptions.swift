public import Logging

/// The address and the limits of a ``SyncService``. The limits of the protocol are in `SyncLimits`.
public struct SyncServiceOptions: Sendable {
    /// The address to listen on. Default 127.0.0.1.
    public var host = "127.0.0.1"
    /// The port; 0 for any that is free. Default 8080.
    public var port = 8080
    /// The path before `/v1/push`, without a slash at its end. Default none.
    public var basePath = ""
    /// The largest number of connections. Further ones wait until one is closed. Default 1024.
    public var connections = 1024
    /// The largest number of calls at a time. Further ones get status 503. Each takes memory for a few times its
    /// message, which has at most 8 MiB. Default 64.
    public var calls = 64
    /// The time in seconds from the head of a request to the end of its response. Then the connection is closed.
    /// Default 60.
    public var callSeconds = 60
    /// The time in seconds after which a connection without a request is closed. Default 60.
    public var idleSeconds = 60
    /// The largest head of a request, in bytes. Default 16 KiB.
    public var headBytes = 16 << 10
    /// The largest number of fields in a head. Default 64.
    public var headFields = 64
    /// The time in seconds between two removals of what is outdated. Default a day.
    public var upkeepSeconds = 86_400
    /// Receives a line for each call and for each failure.
    public var logger: Logger

    /// Makes the defaults.
    public init(logger: Logger = Logger(label: "sync-server")) { self.logger = logger }
}
