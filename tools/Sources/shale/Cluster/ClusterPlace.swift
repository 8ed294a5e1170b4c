import ArgumentParser

/// A place on a cluster in an argument: `rados:POOL`, or `rados:POOL/NAMESPACE`.
struct ClusterPlace: ExpressibleByArgument, Sendable {
    private static let scheme = "rados:"

    let pool: String
    /// The rest after the first slash, which may have slashes itself; `nil` for a whole pool.
    let namespace: String?

    init?(argument: String) {
        guard argument.hasPrefix(ClusterPlace.scheme) else { return nil }
        let parts = argument.dropFirst(ClusterPlace.scheme.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, !first.isEmpty, parts.count == 1 || !parts[1].isEmpty else { return nil }
        pool = String(first)
        namespace = parts.count == 2 ? String(parts[1]) : nil
    }

    /// Returns the name of the namespace. Throws for a whole pool.
    func requireNamespace() throws -> String {
        guard let namespace else {
            throw ToolFailure.usage("name a namespace of the cluster: \(ClusterPlace.scheme)\(pool)/NAMESPACE")
        }
        return namespace
    }
}
