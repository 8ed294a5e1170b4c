import ArgumentParser
import ShaleCluster

/// The layout of a namespace that a copy makes on a cluster.
struct LayoutOptions: ParsableArguments {
    /// The entries and bytes of a shard: ShaleCluster.docc, "When to move to a cluster".
    private static let entriesOfShard: UInt64 = 150_000
    private static let bytesOfShard: UInt64 = 700_000_000

    @Option(
        help: ArgumentHelp(
            "The number of shards; default: 16, or as many as the namespace's entries need now.", valueName: "count"))
    var shards: Int?

    @Option(
        help: ArgumentHelp(
            "Keys with the same part up to this character are one partition; default: each key is one.",
            valueName: "character"))
    var partitionSeparator: String?

    @Option(help: ArgumentHelp("Keys with the same first bytes are one partition.", valueName: "count"))
    var partitionBytes: Int?

    /// True if an option was given.
    var isGiven: Bool { shards != nil || partitionSeparator != nil || partitionBytes != nil }

    func validate() throws {
        guard partitionSeparator == nil || partitionBytes == nil else {
            throw ValidationError("--partition-separator and --partition-bytes exclude each other")
        }
        guard partitionSeparator.map({ $0.utf8.count == 1 }) ?? true else {
            throw ValidationError("--partition-separator takes one ASCII character")
        }
    }

    /// Returns the layout for a namespace of a store with these options and figures.
    func layout(_ options: NamespaceOptions, entries: UInt64, bytes: UInt64) -> ClusterLayout {
        let needed = max(16, entries / LayoutOptions.entriesOfShard + 1, bytes / LayoutOptions.bytesOfShard + 1)
        var layout = ClusterLayout(
            shards: shards ?? Int(clamping: needed), isPurgeable: options.isPurgeable,
            isEncrypted: options.isEncrypted, timeToLive: options.timeToLive)
        if let separator = partitionSeparator?.utf8.first { layout.partitioning = .separator(separator) }
        if let partitionBytes { layout.partitioning = .firstBytes(partitionBytes) }
        return layout
    }
}
