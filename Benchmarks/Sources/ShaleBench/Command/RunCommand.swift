import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Plan.Preset: ExpressibleByArgument {}
extension PeerSettings.Variant: ExpressibleByArgument {
    private static let names: KeyValuePairs<String, Self> = [
        "standard": .standard, "uncompressed": .uncompressed, "zstd": .zstd, "large-blocks": .largeBlocks,
        "queue": .queue, "prefixes": .prefixes, "split": .splitBlocks, "unmapped": .unmapped,
        "value-files": .valueFiles,
    ]

    static var allValueStrings: [String] { names.map(\.key) }

    init?(argument: String) {
        guard let variant = Self.names.first(where: { $0.key == argument })?.value else { return nil }
        self = variant
    }

    var defaultValueDescription: String { Self.names.first { $0.value == self }?.key ?? rawValue }
}

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Measures workloads on Shale and its peers, and reports.",
        discussion: """
            run quick                 a million entries, everything once; under 5 minutes on two cores
            run full                  everything, repeated, first round thrown away; over two hours
            run large                 ten and fifty million entries, more than caches hold; many hours
            run huge                  a hundred million entries
            run values                large values, in value files and not; a quarter of an hour
            run records               collections of records alone, four rounds; a minute
            run --only fillrandom,readrandom:2 --n 2000000 --peers shale,lmdb --repeat 3

            Each peer and each group of workloads that share a store has a process of its own; the peers take turns.

            Workloads; those with :N run on N threads, and the others on as many as --threads says:
            \(Workload.allCases.map { "  \($0.rawValue): \($0.summary)" }.joined(separator: "\n"))
            """)

    @Argument(help: "quick, full, large, huge, values or records. Ignored with --only.")
    var preset = Plan.Preset.quick

    @OptionGroup(title: "Instead of a preset") var choice: WorkloadChoice

    @Option(help: "Comma-separated: \(PeerName.allCases.map(\.rawValue).joined(separator: ", ")).")
    var peers: String?

    @Option(name: .customLong("repeat"), help: "Repetitions, if not those of the preset.")
    var repetitions: Int?

    @Option(help: "Makes the order of keys, and the values.")
    var seed: UInt64 = 20_260_701

    @Option(help: "Where to make a directory for the data; its file system is what is measured.")
    var dir: String?

    @Option(help: "Where results.jsonl, results.csv and report.html go; made when missing.")
    var out = "bench-results"

    @Flag(help: "Leave the data of the last measurement behind.")
    var keep = false

    func validate() throws {
        if let repetitions, repetitions < 1 { throw ValidationError("--repeat: at least 1") }
        _ = try chosenPeers
    }

    func run() throws {
        guard !ShaleBench.isDebugBuild else {
            throw ValidationError("built for debugging: build with -c release to measure")
        }
        let directory = try makeDirectory()
        defer { removeDirectory(directory) }
        try FileManager.default.createDirectory(atPath: out, withIntermediateDirectories: true)
        let log = try ResultLog(path: out + "/results.jsonl")
        let peers = try chosenPeers
        var plan = try choice.plan(peers) ?? Plan(preset)
        if let repetitions { plan.repetitions = repetitions }
        let name = choice.isEmpty ? preset.rawValue : "custom"
        let machine = try MachineProbe(directory: directory, preset: name, peers: peers).measure()
        try log.append(.machine(machine))
        let failures = try Driver(plan: plan, peers: peers, seed: seed, directory: directory, log: log).run()
        try report(log)
        guard failures.isEmpty else {
            throw BenchError("not everything was measured:\n" + failures.joined(separator: "\n"))
        }
    }

    private func report(_ log: ResultLog) throws {
        let output = ReportOutput(try ResultFile.read(log.path))
        print(output.table)
        try Data(output.html.utf8).write(to: URL(filePath: out + "/report.html"))
        try Data(output.csv.utf8).write(to: URL(filePath: out + "/results.csv"))
        print("results.jsonl, results.csv and report.html are in \(out)")
    }

    private var chosenPeers: [PeerName] {
        get throws {
            guard let peers else { return PeerName.allCases }
            return try peers.split(separator: ",").map { name in
                guard let peer = PeerName(rawValue: String(name)) else {
                    throw ValidationError("no peer is called \(name)")
                }
                return peer
            }
        }
    }

    /// Makes a new directory inside the chosen one, so that no existing file can be affected.
    private func makeDirectory() throws -> String {
        let parent = URL(filePath: dir ?? FileManager.default.temporaryDirectory.path).standardizedFileURL.path
        let directory = parent + "/shale-bench.\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return directory
    }

    private func removeDirectory(_ directory: String) {
        guard !keep else { return print("data left in \(directory)") }
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            print("\(directory) could not be removed: \(error)")
        }
    }
}

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

    @Option(help: "Shale's memory budget and the peers' cache in MiB; 512 MiB beside the write buffers otherwise.")
    var budget: Int?

    @Option(help: "Limits the memory of the process in MiB, page cache included (Linux, as root); with --only.")
    var memoryLimit: Int?

    @Option(help: "Reads and mixed operations of a workload at most; with --only.")
    var operations = 1_000_000

    @Option(
        help: """
            Options of the peers: standard, uncompressed, zstd (RocksDB), large-blocks (LevelDB, RocksDB), \
            queue (GRDB), prefixes (RocksDB), split, unmapped (Shale), value-files (Shale, RocksDB); with --only.
            """)
    var variant = PeerSettings.Variant.standard

    var isEmpty: Bool { only == nil }

    func validate() throws {
        guard n >= 1 else { throw ValidationError("--n: at least 1") }
        guard (0...(1 << 20)).contains(valueBytes) else { throw ValidationError("--value-bytes: 0 to 1048576") }
        guard (1...256).contains(threads) else { throw ValidationError("--threads: 1 to 256") }
        // Less than Shale's write buffers and their copies take.
        for mebibytes in [budget, memoryLimit].compactMap({ $0 }) where !(256...(1 << 20)).contains(mebibytes) {
            throw ValidationError("--budget, --memory-limit: 256 to 1048576 MiB")
        }
        guard operations >= 1 else { throw ValidationError("--operations: at least 1") }
        guard Set(try steps.map(\.workload.subject)).count <= 1 else {
            throw ValidationError("--only: typed values, records, namespaces, layers and bytes do not share a store")
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
        scenario.memoryBudget = budget.map { $0 << 20 }
        scenario.memoryLimit = memoryLimit.map { $0 << 20 }
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
