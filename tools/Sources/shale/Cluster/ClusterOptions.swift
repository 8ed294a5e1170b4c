import ArgumentParser
import ShaleCluster

/// The way to a cluster, and the identity of this client.
struct ClusterOptions: ParsableArguments {
    static let configurationVariable = "SHALE_CLUSTER_CONFIGURATION"
    static let userVariable = "SHALE_CLUSTER_USER"

    @Option(
        help: "Ceph's configuration file; default: $SHALE_CLUSTER_CONFIGURATION, otherwise Ceph's usual places.",
        completion: .file())
    var clusterConfiguration: String?

    @Option(
        help: ArgumentHelp(
            "The client's name without \"client.\"; default: $SHALE_CLUSTER_USER, otherwise admin.", valueName: "name"))
    var clusterUser: String?

    @Option(
        help: "The keyring with the client's key; default: the one that the configuration names.",
        completion: .file())
    var clusterKeyring: String?

    @Option(help: ArgumentHelp("The time after which an operation without an answer ends.", valueName: "seconds"))
    var clusterTimeout = 30

    func validate() throws {
        guard 1...86_400 ~= clusterTimeout else { throw ValidationError("--cluster-timeout takes 1 to 86400 seconds") }
    }

    private func connection(to pool: String) -> ClusterConnection {
        var connection = ClusterConnection(pool: pool)
        connection.configuration = clusterConfiguration ?? Terminal.environment(Self.configurationVariable)
        connection.user = clusterUser ?? Terminal.environment(Self.userVariable) ?? connection.user
        connection.keyFile = clusterKeyring
        connection.timeout = .seconds(clusterTimeout)
        return connection
    }

    /// Connects to the cluster with the pool of a place.
    private func open(_ place: ClusterPlace, _ encryption: StoreEncryption?) throws -> ClusterStore {
        #if RADOS
            let connection = connection(to: place.pool)
            return try AsyncWork.run {
                var options = ClusterStore.Options()
                options.encryption = encryption
                return try await ClusterStore.open(connection, options: options)
            }
        #else
            throw ToolFailure.usage(
                "this command was built without clusters: build it with SHALE_RADOS=1 in the environment, which needs "
                    + "librados-dev")
        #endif
    }

    /// Connects to a cluster, runs `body` with it, and ends the connection. Calls `show` meanwhile.
    func with<Value: Sendable>(
        _ place: ClusterPlace, _ encryption: StoreEncryption? = nil, showing show: () -> Void = {},
        _ body: @escaping @Sendable (ClusterStore) async throws -> Value
    ) throws -> Value {
        let cluster = try open(place, encryption)
        let result = Result { try AsyncWork.run(showing: show) { try await body(cluster) } }
        try AsyncWork.run { await cluster.close() }
        return try result.get()
    }
}

extension ClusterStore {
    /// Returns a namespace, which must exist.
    func existingNamespace(_ name: String) async throws -> ClusterNamespace {
        do {
            return try await namespace(name)
        } catch {
            guard error.code == .missing else { throw error }
            throw ToolFailure.notFound("the cluster has no namespace \(name)")
        }
    }
}
