import BareRados
import ShaleCluster

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Compares namespaces on a cluster with the same operations over librados in C: puts, gets, batches of 100 keys and
/// scans of 100 entries, at 1, 16 and 64 in flight. Rounds of both alternate; the medians count. The processor time is
/// that of this process, with librados's threads.
@main
struct Main {
    static let bars: [(name: String, kind: bare_kind, operations: Int, bar: Double)] = [
        ("put", bare_put, 1_500, 0.9), ("get", bare_get, 6_000, 0.8), ("batch of 100", bare_batch, 300, 0.8),
        ("scan of 100", bare_scan, 1_000, 0.8),
    ]
    static let depths = [1, 16, 64]
    static let rounds = 5
    static let keys = 20_000
    static let shards = 16
    static let value = [UInt8](repeating: 118, count: 100)

    static func main() async throws {
        guard CommandLine.arguments.count == 2 else {
            print("usage: shale-cluster-bench CONFIGURATION; see Benchmarks/Cluster/run")
            return
        }
        let configuration = CommandLine.arguments[1]
        var connection = ClusterConnection(pool: "shale")
        connection.configuration = configuration
        connection.user = "shale"
        let store = try await ClusterStore.open(connection)
        let layout = ClusterLayout(shards: shards, partitioning: .separator(UInt8(ascii: "/")))
        try await store.dropNamespace("bench")
        let namespace = try await store.createNamespace("bench", layout: layout)
        guard let bare = unsafe bare_open(configuration, "client.shale", "shale", "bench-bare", Int32(shards)) else {
            print("librados in C can't connect")
            return
        }
        // Both have every key before the first measurement.
        _ = unsafe bare_run(bare, bare_put, Int32(keys), 64, Int32(keys), Int32(value.count))
        try await fill(namespace)
        print("| operation | in flight | Shale | librados in C | ratio | bar | CPU Shale | CPU C |")
        print("|---|--:|--:|--:|--:|--:|--:|--:|")
        var missed = 0
        for (name, kind, operations, bar) in bars {
            for depth in depths {
                let count = depth == 1 ? operations / 3 : operations
                var (ours, theirs) = (Rounds(), Rounds())
                for _ in 0..<rounds {
                    let before = cpuSeconds
                    let seconds = unsafe bare_run(
                        bare, kind, Int32(count), Int32(depth), Int32(keys), Int32(value.count))
                    theirs.add(count, seconds, cpuSeconds - before)
                    let between = cpuSeconds
                    ours.add(count, try await Main.seconds(kind, count, depth, namespace), cpuSeconds - between)
                }
                let ratio = ours.rate / theirs.rate
                if ratio < bar { missed += 1 }
                print(
                    "| \(name) | \(depth) | \(Int(ours.rate))/s | \(Int(theirs.rate))/s | \(text(ratio)) "
                        + "| \(text(bar)) | \(Int(ours.cpuMicroseconds)) µs | \(Int(theirs.cpuMicroseconds)) µs |")
            }
        }
        unsafe bare_close(bare)
        try await store.dropNamespace("bench")
        await store.close()
        print(missed == 0 ? "all bars are reached" : "\(missed) bars are missed")
    }

    /// The results of one side.
    private struct Rounds {
        private var rates: [Double] = []
        private var cpu: [Double] = []

        mutating func add(_ count: Int, _ seconds: Double, _ cpuSeconds: Double) {
            rates.append(Double(count) / seconds)
            cpu.append(cpuSeconds / Double(count) * 1e6)
        }

        /// The median of operations per second.
        var rate: Double { rates.sorted()[rates.count / 2] }

        /// The median of processor time for an operation.
        var cpuMicroseconds: Double { cpu.sorted()[cpu.count / 2] }
    }

    private static var cpuSeconds: Double { Double(clock()) / 1e6 }

    private static func text(_ ratio: Double) -> String {
        let hundredths = Int((ratio * 100).rounded())
        return "\(hundredths / 100)." + (hundredths % 100 < 10 ? "0" : "") + "\(hundredths % 100)"
    }

    /// Returns the key of a number, and its partition: 100 keys each.
    private static func key(_ number: Int) -> String { "p\(number / 100)/key\(1_000_000 + number)" }

    private static func fill(_ namespace: ClusterNamespace) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for partition in 0..<(keys / 100) {
                group.addTask { try await batch(partition, namespace) }
                if partition >= 16 { try await group.next() }
            }
            try await group.waitForAll()
        }
    }

    private static func batch(_ partition: Int, _ namespace: ClusterNamespace) async throws {
        try await namespace.write { (changes) throws(StorageError) in
            for index in 0..<100 { try changes.set(value, forKey: key(partition * 100 + index)) }
        }
    }

    /// Returns the seconds of `count` operations by `depth` tasks.
    private static func seconds(
        _ kind: bare_kind, _ count: Int, _ depth: Int, _ namespace: ClusterNamespace
    ) async throws -> Double {
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<depth {
                group.addTask {
                    for number in stride(from: task, to: count, by: depth) {
                        try await run(kind, number, namespace)
                    }
                }
            }
            try await group.waitForAll()
        }
        let duration = (ContinuousClock.now - start).components
        return Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    }

    private static func run(_ kind: bare_kind, _ number: Int, _ namespace: ClusterNamespace) async throws {
        let place = Int(UInt32(truncatingIfNeeded: number) &* 2_654_435_761 % UInt32(keys))
        switch kind {
        case bare_put: try await namespace.set(value, forKey: key(place))
        case bare_get: _ = try await namespace.value(forKey: key(place), as: [UInt8].self)
        case bare_batch: try await batch(number % (keys / 100), namespace)
        default: _ = try await namespace.entries(prefix: "p\(number % (keys / 100))/").array()
        }
    }
}
