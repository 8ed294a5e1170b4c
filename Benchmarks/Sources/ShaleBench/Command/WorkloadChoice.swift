import ArgumentParser

/// Individually chosen workloads, which run on one store per peer in the given order.
struct WorkloadChoice: ParsableArguments {
    @Option(help: "Comma-separated workloads, on one store in this order; what needs entries finds --n of them.")
    var only: String?

    @Option(help: "Entries; with --only.")
    var n = 1_000_000

    @Option(help: "Bytes of a value; with --only.")
    var valueBytes = 100

    @Option(help: "Threads; with --only.")
    var threads = 1

    @Option(help: "Reads and mixed operations of a workload at most; with --only.")
    var operations = 1_000_000

    @Option(help: "Options of the peers: standard, uncompressed, zstd (RocksDB); with --only.")
    var variant = PeerSettings.Variant.standard

    var isEmpty: Bool { only == nil }

    func validate() throws {
        guard n >= 1 else { throw ValidationError("--n: at least 1") }
        guard (0...(1 << 20)).contains(valueBytes) else { throw ValidationError("--value-bytes: 0 to 1048576") }
        guard (1...256).contains(threads) else { throw ValidationError("--threads: 1 to 256") }
        guard operations >= 1 else { throw ValidationError("--operations: at least 1") }
        guard Set(try steps.map(\.workload.subject)).count <= 1 else {
            throw ValidationError("--only: typed values, namespaces, layers and bytes do not share a store")
        }
    }

    /// Returns the plan; `nil` if nothing was chosen.
    func plan(_ peers: [PeerName]) throws -> Plan? {
        guard !isEmpty else { return nil }
        var scenario = Scenario(peers, entries: n, [])
        scenario.steps = try steps
        scenario.valueBytes = valueBytes
        scenario.variant = variant
        scenario.operationsMax = operations
        return Plan(scenarios: [scenario], repetitions: 1, warmsUp: false)
    }

    private var steps: [Assignment.Step] {
        get throws {
            try (only ?? "").split(separator: ",").map { text in
                let parts = text.split(separator: ":", maxSplits: 1)
                guard let workload = Workload(rawValue: String(parts[0])) else {
                    throw ValidationError("no workload is called \(parts[0])")
                }
                guard let threads = parts.count == 1 ? threads : Int(parts[1]), (1...256).contains(threads) else {
                    throw ValidationError("\(text): threads are 1 to 256")
                }
                return Assignment.Step(workload: workload, threads: threads)
            }
        }
    }
}
