import ArgumentParser
import ShaleCluster
import Synchronization

struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Shows and maintains namespaces on a RADOS cluster.",
        discussion: """
            EXAMPLES
              shale cluster status rados:POOL
              shale cluster status rados:POOL/carts --json
              shale cluster reclaim rados:POOL/carts --dry-run
              shale copy DIR carts --to rados:POOL/carts --verify

            The command must have been built with SHALE_RADOS=1 in the environment.
            """,
        subcommands: [
            ClusterStatusCommand.self, ReclaimCommand.self, ClusterDataKeyCommand.self, ClusterMasterKeyCommand.self,
        ])
}

struct ClusterPlaceArgument: ParsableArguments {
    @Argument(help: ArgumentHelp("The place on a cluster.", valueName: "rados:pool/namespace"))
    var value: ClusterPlace
}

struct ClusterStatusCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the health of a cluster, what a pool holds, and the layout of a namespace.",
        discussion: """
            EXAMPLES
              shale cluster status rados:POOL
              shale cluster status rados:POOL/carts --cluster-user shale
              shale cluster status rados:POOL --json | jq -r .status

            The figures of the pool are those of the cluster's manager, which counts at
            intervals; they are 0 without a manager.
            """)

    @OptionGroup var place: ClusterPlaceArgument
    @OptionGroup(title: "Cluster") var cluster: ClusterOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let place = place.value
        try cluster.with(place) { (cluster) in
            var layout: ClusterLayout?
            if let name = place.namespace { layout = try await cluster.existingNamespace(name).layout }
            return ClusterStatusReport(place, try await cluster.health(), try await cluster.usage(), layout)
        }.show(output)
    }
}

struct ClusterStatusReport: Report {
    static let command = "cluster status"

    /// A check of the monitors that does not pass.
    struct Problem: Encodable {
        let check: String
        let summary: String
    }

    struct Namespace: Encodable {
        let name: String
        let shards: Int
        /// whole-key, first-bytes or separator.
        let partitioning: String
        /// The number of bytes, or the byte.
        let partitionValue: Int?
        let purgeable: Bool
        let encrypted: Bool
        let timeToLiveSeconds: Double?

        init(_ name: String, _ layout: ClusterLayout) {
            self.name = name
            shards = layout.shards
            (partitioning, partitionValue) =
                switch layout.partitioning {
                case .wholeKey: ("whole-key", nil)
                case .firstBytes(let count): ("first-bytes", count)
                case .separator(let byte): ("separator", Int(byte))
                }
            purgeable = layout.isPurgeable
            encrypted = layout.isEncrypted
            timeToLiveSeconds = layout.timeToLive?.seconds
        }
    }

    let pool: String
    /// As Ceph names it: HEALTH_OK, HEALTH_WARN or HEALTH_ERR.
    let status: String
    let problems: [Problem]
    let isFull: Bool
    let objects: UInt64
    /// The bytes of all replicas on disk.
    let storedBytes: UInt64
    /// Absent unless a namespace was named.
    let namespace: Namespace?

    init(_ place: ClusterPlace, _ health: ClusterHealth, _ usage: ClusterUsage, _ layout: ClusterLayout?) {
        pool = place.pool
        status = health.status.rawValue
        problems = zip(health.checks, health.problems).map { Problem(check: $0, summary: $1) }
        isFull = health.isFull
        objects = usage.objects
        storedBytes = usage.bytes
        namespace = layout.map { Namespace(place.namespace ?? "", $0) }
    }

    func text() -> Shown {
        var lines = [Shown(status)]
        lines += problems.map { "\(Shown($0.check)): \(Shown($0.summary))" }
        lines.append(
            "pool \(Shown(pool)): \(Figures.count(objects, "object")), \(Figures.bytes(storedBytes)) with all replicas")
        guard let namespace else { return lines.joined(separator: "\n") }
        var words: [Shown] = [Figures.count(namespace.shards, "shard")]
        words.append(Shown("partitions: \(namespace.partitioning)") + (namespace.partitionValue.map { " \($0)" } ?? ""))
        if namespace.purgeable { words.append("purgeable") }
        if namespace.encrypted { words.append("encrypted") }
        if let seconds = namespace.timeToLiveSeconds { words.append("lives \(Figures.duration(.seconds(seconds)))") }
        lines.append("namespace \(Shown(namespace.name)): \(words.joined(separator: ", "))")
        return lines.joined(separator: "\n")
    }
}

struct ReclaimCommand: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "reclaim",
        abstract: "Removes from a cluster what no reader of a namespace sees any more.",
        discussion: """
            EXAMPLES
              shale cluster reclaim rados:POOL/carts --dry-run
              shale cluster reclaim rados:POOL/carts --json

            Removes entries that were purged or have expired, objects of large values that
            were replaced or whose writers died, and snapshots whose holders died. Run it at
            intervals from one client, for example every hour. An interrupted pass has
            removed a part, and the next one removes the rest.
            """)

    @OptionGroup var place: ClusterPlaceArgument

    @Flag(help: "Report what would be removed, and change nothing.")
    var dryRun = false

    @OptionGroup(title: "Cluster") var cluster: ClusterOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let (name, dryRun) = (try place.value.requireNamespace(), dryRun)
        let state = ReclaimState()
        let progress = Progress("reclaim", isQuiet: output.quiet)
        defer { progress.erase() }
        Interruption.catchIt()
        let report: ClusterPurgeReport
        do {
            report = try cluster.with(
                place.value,
                showing: {
                    guard let now = state.report.withLock({ $0 }) else { return }
                    progress.update(
                        fraction: nil,
                        "\(Figures.count(now.examined, "entry", "entries")), \(Figures.count(now.entries)) removed")
                }
            ) { (cluster) in
                try await cluster.existingNamespace(name).reclaim(dryRun: dryRun) { report in
                    state.report.withLock { $0 = report }
                }
            }
        } catch let error as StorageError where error.code == .cancelled {
            throw StorageError(.cancelled, "interrupted: a part was removed, and the next pass removes the rest")
        }
        progress.erase()
        try ReclaimedReport(report, isDryRun: dryRun, seconds: progress.elapsed.seconds).show(output)
    }
}

/// The progress of a removal pass.
private final class ReclaimState: Sendable {
    let report = Mutex<ClusterPurgeReport?>(nil)
}

struct ReclaimedReport: Report {
    static let command = "cluster reclaim"

    let entries: Int
    /// The bytes of the entries and their values, as stored once.
    let bytes: Int
    /// The objects of large values that no entry named.
    let objects: Int
    let snapshots: Int
    /// The number of entries that were read.
    let examined: Int
    let isDryRun: Bool
    let seconds: Double

    init(_ report: ClusterPurgeReport, isDryRun: Bool, seconds: Double) {
        entries = report.entries
        bytes = report.bytes
        objects = report.objects
        snapshots = report.snapshots
        examined = report.examined
        self.isDryRun = isDryRun
        self.seconds = seconds
    }

    func text() -> Shown {
        let removed = isDryRun ? "would remove" as Shown : "removed"
        return "\(removed) \(Figures.count(entries, "entry", "entries")) (\(Figures.bytes(bytes))) of "
            + "\(Figures.count(examined)), \(Figures.count(objects, "object")) and "
            + "\(Figures.count(snapshots, "snapshot")), in \(Figures.duration(.seconds(seconds)))"
    }
}
