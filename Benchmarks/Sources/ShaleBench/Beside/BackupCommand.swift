import ArgumentParser
import Foundation
import Posix
import ShaleEngine
import ShaleMaintenance

/// Measures a first backup of a store beside `cp -r` of its directory, in turn.
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Measures a backup beside cp of the same store, both with a sync at the end.")

    @Option(help: "Entries of the store; the default fills about 1 GB.") var entries = 13_000_000
    @Option(help: "Bytes of a value.") var valueBytes = 100
    @Option(help: "How often both are measured, in turn.") var rounds = 5
    @Option(help: "Where store and copies are made; removed afterwards.") var dir: String

    /// The required share of the speed of cp.
    static let bar = 0.7

    func run() throws {
        try withBenchDirectory(in: dir) { base in
            let store = BesideWriter.store(in: base)
            try fill(store)
            var options = Engine.Options()
            options.mode = .readOnly
            let reader = try Engine.open(at: store, options: options)
            var shares: [Double] = []
            var bytes: UInt64 = 0
            for _ in 0..<rounds {
                let copied = try seconds(base) { try copy(store, to: $0) }
                let backedUp = try seconds(base) { bytes = try Maintenance.backUp(reader, to: $0).storedBytes }
                shares.append(copied / backedUp)
                print("cp \(decimal(copied)) s, backup \(decimal(backedUp)) s: \(decimal(copied / backedUp))")
            }
            print(
                "median of the ratios for \(bytes / 1_000_000) MB: \(decimal(shares.median)), "
                    + "bar \(decimal(Self.bar)): \(shares.median >= Self.bar ? "met" : "missed")")
        }
    }

    private func fill(_ path: String) throws {
        let engine = try Engine.open(at: path)
        let namespace = try engine.createNamespace(named: [1])
        try BesideWriter(entries: entries, valueBytes: valueBytes).fill(engine, namespace)
        try engine.flush()
        try engine.close()
    }

    private func seconds(_ base: URL, _ body: (String) throws -> Void) throws -> Double {
        let target = base.appending(path: "target")
        let began = Clock.now
        try body(target.path)
        let seconds = Clock.seconds(since: began)
        try FileManager.default.removeItem(at: target)
        return seconds
    }

    /// A backup is durable when it returns, so the copy is synced too.
    private func copy(_ store: String, to target: String) throws {
        for command in [["cp", "-r", store, target], ["sync", "-f", target]] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = command
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw BenchError("\(command[0]) has failed") }
        }
    }
}
