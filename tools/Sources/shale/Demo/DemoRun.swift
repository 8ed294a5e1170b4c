import ArgumentParser
import Shale

struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Demonstrates the store on this machine's package lists.",
        discussion: """
            EXAMPLES
              shale demo
              shale demo --dir /tmp/shale-demo --keep

            Imports apt's package lists in a child process and kills that process half
            way. Then reopens the store, compares it with the source, resumes the import,
            imports the ISO code tables, reads 100 000 random keys, purges, compacts,
            verifies and prints the figures. Ends with code 1 if anything differs from the
            source.
            """)

    @Option(
        help: "The directory to use, which must be absent or empty; default: a temporary one.", completion: .directory)
    var dir: String?

    @Flag(help: "Keep the store afterwards.")
    var keep = false

    @Option(help: "The seed of the random reads. It is printed, so that a run can be repeated.")
    var seed: UInt64?

    func run() throws {
        let directory = try dir.map(Self.prepare) ?? makeTemporaryDirectory(prefix: "shale-demo")
        let demo = DemoRun(directory: directory, seed: seed ?? UInt64.random(in: 1...UInt64.max))
        do {
            try demo.run()
        } catch {
            Terminal.note("shale: the store was kept in \(demo.storePath)")
            throw error
        }
        if keep {
            try Terminal.print("\nThe store is in \(demo.storePath). To inspect it:")
            try Terminal.print("  \(try executablePath()) stats \(demo.storePath)")
        } else {
            try removeTree(directory)
        }
    }

    private static func prepare(_ path: String) throws -> String {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw ToolFailure.system("mkdir", path) }
        guard try directoryEntries(of: path).isEmpty else { throw ToolFailure.usage("\(path) is not empty") }
        return path
    }
}

/// The demonstration. Each step prints what it does and checks the result against the source; the first difference ends
/// the demonstration with an error.
final class DemoRun {
    static let packages = NamespacePath(user: nil, components: ["packages"])
    static let descriptions = NamespacePath(user: nil, components: ["packages", "Description"])
    static let randomReads = 100_000

    let storePath: String
    let seed: UInt64
    let clock = ContinuousClock()
    var figures = DemoFigures()
    /// The content that the store must have now.
    var expected = ExpectedContent()

    init(directory: String, seed: UInt64) {
        storePath = "\(directory)/store"
        self.seed = seed
    }

    func run() throws {
        let sources = try DemoSources()
        for remark in sources.remarks { try say(remark) }
        let (input, batches) = try readSource(sources)
        let killed = try importAndKill(input, batches)
        try reopenAfterKill(killed, batches)
        try resume(input, batches)
        try importCodes(sources)
        try compareEverything()
        try readRandomKeys()
        try purge()
        try compact()
        try verify()
        try reopenAfterClose()
        try Terminal.print("\n" + figures.table)
    }

    func say(_ text: Shown) throws { try Terminal.print(text) }

    func openStore() throws -> Store { try StoreAccess.open(storePath, .openExisting) }

    /// Closes a store that was written to, and adds the engine's writes to the figures.
    func close(_ store: Store) throws {
        try store.engine.flush()
        let statistics = store.engine.statistics
        figures.userBytes += statistics.userBytes
        figures.writtenBytes += statistics.bytesToFiles
        try store.close()
    }

    func time<R>(_ body: () throws -> R) rethrows -> (R, Duration) {
        let start = clock.now
        let result = try body()
        return (result, clock.now - start)
    }

    /// Ends the demonstration with an error unless `differences` is 0.
    func require(_ differences: Int, _ what: String) throws {
        guard differences == 0 else {
            throw ToolFailure.different("\(what): \(Figures.count(differences)) entries differ from the source")
        }
    }
}

/// The measurements of the demonstration.
struct DemoFigures {
    var sourceRecords = 0
    var sourceBytes: UInt64 = 0
    var entries = 0
    /// The bytes of keys and values of all imported entries.
    var rawBytes: UInt64 = 0
    /// The bytes of keys and values that the purge left.
    var liveRawBytes: UInt64 = 0
    var storedBytes: UInt64 = 0
    var directoryBytes: UInt64 = 0
    var purgedEntries: UInt64 = 0
    var returnedBytes: Int64 = 0
    var measuredBytes: Int64 = 0
    /// The bytes given to the engine by all processes that wrote.
    var userBytes: UInt64 = 0
    /// The bytes that the engine wrote to files in these processes.
    var writtenBytes: UInt64 = 0
    var importTime = Duration.zero
    var importedRecords = 0
    var resumeTime = Duration.zero
    var resumedRecords = 0
    var randomReadTime = Duration.zero
    var reopenAfterKill = Duration.zero
    var reopenAfterClose = Duration.zero

    mutating func add(_ killed: KilledImport) {
        importTime = killed.duration
        importedRecords = killed.acknowledged.records
        userBytes += killed.acknowledged.userBytes
        writtenBytes += killed.acknowledged.writtenBytes
    }

    var table: Shown {
        var table = Table([])
        table.add("source", "\(Figures.count(sourceRecords)) stanzas, \(Figures.bytes(sourceBytes))")
        table.add("entries", "\(Figures.count(entries)), \(Figures.bytes(rawBytes)) of keys and values")
        table.add("import, until the kill", Figures.rate(UInt64(importedRecords), importTime) + " stanzas")
        table.add("resume, skipping stored records", Figures.rate(UInt64(resumedRecords), resumeTime) + " stanzas")
        table.add(
            "random reads", Figures.rate(UInt64(DemoRun.randomReads), randomReadTime) + ", all equal to the source")
        table.add("reopen after the kill", Figures.duration(reopenAfterKill))
        table.add("reopen after a clean close", Figures.duration(reopenAfterClose))
        table.add("purged entries", Figures.count(purgedEntries))
        table.add(
            "returned by the purge",
            "\(Figures.bytes(returnedBytes)) reported, \(Figures.bytes(measuredBytes)) measured")
        table.add("live bytes of keys and values", Figures.bytes(liveRawBytes))
        table.add("stored in segments", Figures.bytes(storedBytes))
        table.add("directory, as du counts it", Figures.bytes(directoryBytes))
        table.add("space amplification", ratio(directoryBytes, liveRawBytes) + " (directory / live bytes)")
        table.add("write amplification", ratio(writtenBytes, userBytes) + " (written to files / given to the engine)")
        table.add("differences from the source", "0")
        return table.text
    }

    private func ratio(_ a: UInt64, _ b: UInt64) -> Shown { b == 0 ? "-" : Figures.decimal(Double(a) / Double(b), 2) }
}
