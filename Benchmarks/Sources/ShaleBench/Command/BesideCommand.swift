import ArgumentParser
import Foundation
import Posix
import ShaleEngine

/// Measures an owner's writes alone, and beside readers in other processes that refresh, in turn.
struct BesideCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside",
        abstract: "Measures writes beside readers in other processes, which refresh and then also read.")

    @Option(help: "Entries that are written each time, in random order.") var entries = 4_000_000
    @Option(help: "Bytes of a value.") var valueBytes = 100
    @Option(help: "Readers.") var readers = 4
    @Option(help: "Refreshes of a reader in a second.") var hertz = 10
    @Option(help: "Keys that a reader looks up after each refresh, in the last of the three measurements.")
    var lookups = 10
    @Option(help: "How often all three are measured, in turn.") var rounds = 3
    @Option(help: "Where the stores are made; removed afterwards.") var dir: String

    /// The required share of the speed without readers, for readers that only refresh.
    static let bar = 0.9

    func run() throws {
        let base = URL(filePath: dir).appending(path: "shale-beside-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        let outcome = Result { try measure(in: base) }
        try FileManager.default.removeItem(at: base)
        try outcome.get()
    }

    private func measure(in base: URL) throws {
        var shares: [[Double]] = [[], []]
        for _ in 0..<rounds {
            let alone = try write(in: base, readers: 0, lookups: 0)
            print("alone \(Int(alone)) entries/s")
            for (mode, lookups) in [0, lookups].enumerated() {
                let beside = try write(in: base, readers: readers, lookups: lookups)
                shares[mode].append(beside / alone)
                print("  \(Int(beside)) beside \(readers) readers with \(lookups) lookups: \(decimal(beside / alone))")
            }
        }
        let (refreshing, reading) = (shares[0].median, shares[1].median)
        print(
            "median beside readers that refresh \(decimal(refreshing)), bar \(decimal(Self.bar)): "
                + "\(refreshing >= Self.bar ? "met" : "missed"); that also read \(decimal(reading))")
    }

    /// Writes a new store, and returns the entries in a second.
    private func write(in base: URL, readers: Int, lookups: Int) throws -> Double {
        let path = base.appending(path: "store").path
        let engine = try Engine.open(at: path)
        let namespace = try engine.createNamespace(named: [1])
        let children = try (0..<readers).map { _ in
            try ChildProcess(try thisProgram, ["beside-reader", path, "\(hertz)", "\(lookups)"])
        }
        for child in children {
            guard try child.readLine() == "ready" else { throw BenchError("a reader did not begin") }
        }
        let values = ValuePool(valueBytes: valueBytes, seed: 1)
        let order = Permutation(count: entries, seed: 1)
        var key = KeyBuffer(byteCount: 16)
        let began = Clock.now
        for position in 0..<entries {
            let index = order[position]
            key.set(index)
            try engine.put(values.value(index, 0), forKey: key.span, in: namespace)
        }
        let seconds = Clock.seconds(since: began)
        try Data().write(to: URL(filePath: path + BesideReaderCommand.end))
        for child in children { try report(child) }
        try engine.close()
        for name in [path, path + BesideReaderCommand.end] { try FileManager.default.removeItem(atPath: name) }
        return Double(entries) / seconds
    }

    private func report(_ child: ChildProcess) throws {
        guard let line = try child.readLine() else { throw BenchError("a reader has failed") }
        print("    reader: \(line)")
        _ = try child.wait()
    }

    private func decimal(_ number: Double) -> String { String(format: "%.2f", number) }
}

/// A reader of ``BesideCommand``.
struct BesideReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beside-reader", abstract: "Refreshes a store until its writer has ended.", shouldDisplay: false)

    /// Behind the store's path: the name of a file that ends the readers.
    static let end = ".end"

    @Argument var path: String
    @Argument var hertz: Int
    @Argument var lookups: Int

    func run() throws {
        var options = Engine.Options()
        options.mode = .readOnly
        var reader = try Engine.open(at: path, options: options)
        guard let namespace = reader.namespace(named: [1])?.id else { throw BenchError("the store has no namespace") }
        try writeFully(Array("ready\n".utf8), to: STDOUT_FILENO, named: "standard output")
        var (refreshes, longest, last) = (0, 0.0, UInt64(0))
        var key = KeyBuffer(byteCount: 16)
        while !FileManager.default.fileExists(atPath: path + Self.end) {
            let began = Clock.now
            reader = try reader.refreshed()
            longest = max(longest, Clock.seconds(since: began))
            refreshes += 1
            let found = reader.statistics.lastSequence
            guard found >= last else { throw BenchError.wrong("sequence \(found) after \(last)") }
            last = found
            for index in 0..<lookups {
                key.set(index)
                _ = try reader.contains(key: key.span, in: namespace)
            }
            Thread.sleep(forTimeInterval: 1 / Double(hertz))
        }
        let line =
            "\(refreshes) refreshes, longest \(Int(longest * 1e6)) us, "
            + "processor \(String(format: "%.3f", Resources.cpuSeconds)) s\n"
        try writeFully(Array(line.utf8), to: STDOUT_FILENO, named: "standard output")
    }
}
