import BareRados
import ShaleCluster

/// Compares namespaces on a cluster with the same operations over librados in C: puts, gets, batches of 100 keys and
/// scans of 100 entries, at 1, 16 and 64 in flight.
///
/// Short rounds of both alternate, in pairs whose order alternates too, so that what else the machine does hits both.
/// The median of the ratios of pairs counts. On either side the next operation begins as soon as one has ended. The
/// processor time is that of this process, with librados's threads.
@main
struct Main {
    static let bars: [(name: String, kind: bare_kind, bar: Double)] = [
        ("put", bare_put, 0.9), ("get", bare_get, 0.8), ("batch of 100", bare_batch, 0.8),
        ("scan of 100", bare_scan, 0.8),
    ]
    static let depths = [1, 16, 64]
    static let pairs = 40
    /// The time that a round of C takes.
    static let roundSeconds = 0.1
    static let keys = 20_000
    static let shards = 16
    static let value = [UInt8](repeating: 118, count: 100)

    static func main() async throws {
        guard 2...4 ~= CommandLine.arguments.count else {
            print("usage: shale-cluster-bench CONFIGURATION [OPERATION [IN-FLIGHT]]; see Benchmarks/Cluster/run")
            return
        }
        let configuration = CommandLine.arguments[1]
        let chosen = CommandLine.arguments.dropFirst(2)
        var connection = ClusterConnection(pool: "shale")
        connection.configuration = configuration
        connection.user = "shale"
        let store = try await ClusterStore.open(connection)
        let layout = ClusterLayout(shards: shards, partitioning: .separator(UInt8(ascii: "/")))
        try await store.dropNamespace("bench")
        let namespace = try await store.createNamespace("bench", layout: layout)
        let bare = unsafe bare_open(
            configuration, "client.shale", "shale", "bench-bare", Int32(shards), Int32(keys))
        guard let bare = unsafe bare else {
            print("librados in C can't connect")
            return
        }
        // Both have every key before the first measurement.
        let sides = unsafe Sides(bare: bare, namespace: namespace)
        _ = try sides.bareSeconds(bare_put, 0..<keys, 64)
        try await fill(sides)
        print("| operation | in flight | Shale | librados in C | ratio | quartiles | bar | CPU Shale | CPU C |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
        var missed = 0
        for (name, kind, bar) in bars where chosen.first.map({ name.hasPrefix($0) }) ?? true {
            for depth in depths where chosen.dropFirst().first.map({ $0 == String(depth) }) ?? true {
                let result = try await compare(kind, depth, sides)
                if result.ratio < bar { missed += 1 }
                print("| \(name) | \(depth) | \(result.row(bar)) |")
            }
        }
        unsafe bare_close(bare)
        try await store.dropNamespace("bench")
        await store.close()
        print(missed == 0 ? "all bars are reached" : "\(missed) bars are missed")
    }

    /// Runs rounds of one operation on both sides.
    private static func compare(_ kind: bare_kind, _ depth: Int, _ sides: Sides) async throws -> Pairs {
        // The first rounds, which are not counted, show how many operations a round has.
        let trial = max(50, 4 * depth)
        let count = max(4 * depth, Int(Double(trial) * roundSeconds / (try sides.bareSeconds(kind, 0..<trial, depth))))
        _ = try await sides.shaleSeconds(kind, 0..<trial, depth)
        var result = Pairs()
        for pair in 0..<pairs {
            let numbers = pair * count..<(pair + 1) * count
            let ours = { try await Round.measure(count) { try await sides.shaleSeconds(kind, numbers, depth) } }
            let theirs = { try await Round.measure(count) { try sides.bareSeconds(kind, numbers, depth) } }
            if pair.isMultiple(of: 2) {
                let first = try await theirs()
                result.add(try await ours(), first)
            } else {
                result.add(try await ours(), try await theirs())
            }
        }
        return result
    }

    private static func fill(_ sides: Sides) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in 0..<(keys / 100) {
                group.addTask { try await sides.batch(partition) }
                if partition >= 16 { try await group.next() }
            }
            try await group.waitForAll()
        }
    }
}
