/// The place of a cluster and the identity of its client.
///
/// ```swift
/// var connection = ClusterConnection(pool: "shale")
/// connection.configuration = "/etc/ceph/ceph.conf"
/// connection.user = "shale"
/// connection.keyFile = "/etc/ceph/ceph.client.shale.keyring"
/// let cluster = try await ClusterStore.open(connection)
/// ```
/// Only the package trait `RADOS` connects.
public struct ClusterConnection: Sendable {
    /// The name of the pool, which must exist and be replicated: objects of erasure-coded pools have no entries.
    public var pool: String
    /// The path of Ceph's configuration file; `nil` means its usual places.
    public var configuration: String?
    /// The client's name without `client.`. Default `admin`.
    public var user = "admin"
    /// The path of the keyring with the client's key; `nil` means the one that the configuration names.
    public var keyFile: String?
    /// The addresses of monitors, such as `10.0.0.1` or `v2:10.0.0.1:3300`. Empty means those of the configuration.
    public var monitors: [String] = []
    /// The time after which an operation without an answer ends: a read as `.unavailable`, a write as
    /// `.indeterminate`. An operation that waits for another one of its shard has that time from then on. At least 1 s.
    /// Default 30 s.
    public var timeout: Duration = .seconds(30)
    /// The largest number of operations in flight, 1 … 65 536. Further ones wait in order, without a thread.
    /// Default 128.
    public var operationsInFlight = 128

    public init(pool: String) { self.pool = pool }
}
