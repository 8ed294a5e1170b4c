import ArgumentParser
import Foundation

/// Measures an owner's writes alone, and beside other processes that follow or back up its store, in turn.
struct BesideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside",
        abstract: "Measures writes beside other processes that read or back up the store.",
        discussion: "In turn: alone, beside readers that refresh, beside readers that also look keys up, and beside a "
            + "process that makes one backup after the other.")

    @Option(help: "Entries that are written each time, in random order.") var entries = 4_000_000
    @Option(help: "Bytes of a value.") var valueBytes = 100
    @Option(help: "Readers.") var readers = 4
    @Option(help: "Refreshes of a reader in a second.") var hertz = 10
    @Option(help: "Keys that a reader of the second kind looks up after each refresh.") var lookups = 10
    @Option(help: "How often all are measured, in turn.") var rounds = 3
    @Option(help: "Where the stores are made; removed afterwards.") var dir: String

    func run() throws {
        let writer = BesideWriter(entries: entries, valueBytes: valueBytes)
        try withBenchDirectory(in: dir) { base in
            let others = companies(base)
            var shares = [[Double]](repeating: [], count: others.count)
            for _ in 0..<rounds {
                let alone = try writer.write(in: base, beside: Company("alone"))
                print("alone \(Int(alone)) entries/s")
                for (index, company) in others.enumerated() {
                    let beside = try writer.write(in: base, beside: company)
                    shares[index].append(beside / alone)
                    print("  \(Int(beside)) beside \(company.name): \(decimal(beside / alone))")
                }
            }
            for (company, shares) in zip(others, shares) { print(company.verdict(of: shares.median)) }
        }
    }

    private func companies(_ base: URL) -> [Company] {
        let store = BesideWriter.store(in: base)
        let reader = { (lookups: Int) in [BesideReaderCommand._commandName, store, "\(hertz)", "\(lookups)"] }
        let backup = [BesideBackupCommand._commandName, store, BesideWriter.backups(in: base)]
        return [
            Company("\(readers) readers that refresh", Array(repeating: reader(0), count: readers), bar: 0.9),
            Company("\(readers) readers that also look up", Array(repeating: reader(lookups), count: readers)),
            Company("a live backup", [backup], bar: 0.7),
        ]
    }
}

/// Processes beside which an owner writes.
struct Company {
    let name: String
    /// Their arguments to this program.
    let arguments: [[String]]
    /// The required share of the owner's speed alone.
    let bar: Double?

    init(_ name: String, _ arguments: [[String]] = [], bar: Double? = nil) {
        self.name = name
        self.arguments = arguments
        self.bar = bar
    }

    func verdict(of share: Double) -> String {
        let result = "median beside \(name): \(decimal(share))"
        guard let bar else { return result }
        return result + ", bar \(decimal(bar)): \(share >= bar ? "met" : "missed")"
    }
}

func decimal(_ number: Double) -> String { String(format: "%.2f", number) }

/// Makes a directory of this process in `parent`, and removes it after `body`.
func withBenchDirectory(in parent: String, _ body: (URL) throws -> Void) throws {
    let base = URL(filePath: parent).appending(path: "shale-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    let outcome = Result { try body(base) }
    try FileManager.default.removeItem(at: base)
    try outcome.get()
}
