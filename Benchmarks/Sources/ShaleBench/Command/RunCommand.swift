import ArgumentParser
import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs workloads one after the other, by db_bench's names.",
        discussion: """
            Workloads: \(Workload.allCases.map(\.rawValue).joined(separator: ", ")).
            fill* and purge begin with an empty store, the others use what is there and fill it first if it is empty.
            """)

    @Option(help: "Entries.")
    var n: Int?

    @Flag(help: "200 000 entries instead of 2 000 000.")
    var quick = false

    @Option(help: "Threads of writers and of random reads; fillsync has its own.")
    var threads = 1

    @Option(help: "Comma-separated list; default: all, reads before and after a compaction.")
    var workloads: String?

    @Option(name: .customLong("repeat"), help: "Runs of the whole list; the bars take medians.")
    var repetitions = 1

    @Option(help: "Where to make a directory for the data; its file system is what is measured.")
    var dir: String?

    @Option(help: "Write results as JSON lines.")
    var json: String?

    @Flag(help: "Leave the data behind.")
    var keep = false

    @OptionGroup(title: "Store options") var settings: StoreSettings

    func validate() throws {
        guard entries >= 1000 else { throw ValidationError("--n: at least 1000") }
        guard (1...256).contains(threads) else { throw ValidationError("--threads: 1 to 256") }
        guard repetitions >= 1 else { throw ValidationError("--repeat: at least 1") }
        _ = try list
    }

    func run() throws {
        guard !isDebugBuild else { throw ValidationError("built for debugging: build with -c release to measure") }
        let directory = try makeDirectory()
        defer { removeDirectory(directory) }
        let report = Report(jsonPath: json)
        let values = ValuePool(valueBytes: settings.valueBytes, seed: settings.seed)
        try describe(directory, report)
        let rooflines = try Rooflines(directory: directory, settings: settings, values: values)
        try rooflines.describe(in: report)
        let store = BenchStore(path: directory + "/store", settings: settings, values: values)
        let bench = Bench(entries: entries, threads: threads, store: store, rooflines: rooflines, report: report)
        for repetition in 1...repetitions {
            report.beginRepetition()
            print(repetitions > 1 ? "\nrepetition \(repetition)" : "")
            Table.printHeading()
            for workload in try list { try workload.run(in: bench) }
        }
        try store.close()
        try Bars(report: report, writesPerSecond: bench.writeRates.median).finish()
    }

    private var entries: Int { n ?? (quick ? 200_000 : 2_000_000) }

    private var list: [Workload] {
        get throws {
            guard let workloads else { return Workload.standard }
            return try workloads.split(separator: ",").map { name in
                guard let workload = Workload(rawValue: String(name)) else {
                    throw ValidationError("no workload is called \(name)")
                }
                return workload
            }
        }
    }

    private var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    /// A new directory of our own inside the one that was named, so that nobody's files can be hit.
    private func makeDirectory() throws -> String {
        let parent = URL(filePath: dir ?? FileManager.default.temporaryDirectory.path).standardizedFileURL.path
        let directory = parent + "/shale-bench.\(ProcessInfo.processInfo.processIdentifier)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return directory
    }

    private func removeDirectory(_ directory: String) {
        guard !keep else { return print("\ndata left in \(directory)") }
        do {
            try FileManager.default.removeItem(atPath: directory)
        } catch {
            print("\(directory) could not be removed: \(error)")
        }
    }

    private func describe(_ directory: String, _ report: Report) throws {
        let machine = Machine(directory: directory)
        machine.printBlock()
        try report.write("machine", machine)
        let options = settings.engineOptions
        print("entries     \(Format.grouped(Double(entries))) of \(settings.keyBytes) + \(settings.valueBytes) bytes")
        print(
            "store       memtables of \(settings.memtableMib) MiB, memory budget \(options.memoryBudget >> 20) MiB "
                + "(cache \(settings.cacheMib)), compression \(settings.compression.rawValue), "
                + "compaction threads \(options.compactionThreads), sync interval \(settings.syncInterval) ms")
        print("durability  every commit is in the page cache when it returns (fillsync: on the device)")
    }
}
