import ArgumentParser
import Foundation
import ShaleEngine

/// Measures a manual compaction and its roofline (read, decompress, merge, compress) on the same store in the same run.
struct CompactionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compaction",
        abstract: "Measures a compaction beside its roofline: read, decompress, merge, compress.")

    @Option(help: "Keys, written in random order, a fifth of them twice.") var entries = 1_000_000
    @Option(help: "Bytes of a value.") var valueBytes = 1024
    @Option(help: "Threads of both.") var threads = ProcessInfo.processInfo.activeProcessorCount
    @Option(help: "Threads of the compaction, if not one more: some of its threads wait for the disk.")
    var compactionThreads: Int?
    @Option(help: "How often both are measured, in turn.") var rounds = 3
    @Option(help: "Where the stores are made; removed afterwards.") var dir: String
    @Flag(help: "Only make the store, in this directory, and leave it there.") var onlyFill = false
    @Flag(help: "Values that hardly compress.") var random = false

    /// The required share of the roofline's speed.
    static let bar = 0.7

    private var options: Engine.Options {
        var options = Engine.Options()
        // Dictionaries don't help with such values, and the roofline uses none.
        options.trainsDictionaries = false
        options.manualCompactionThreads = compactionThreads ?? threads + 1
        // Disables automatic compactions.
        (options.l0CompactionTrigger, options.l0SlowdownTrigger, options.l0StopTrigger) = (998, 998, 1000)
        return options
    }

    func run() throws {
        if onlyFill { return try fill(dir) }
        let base = URL(filePath: dir).appending(path: "shale-compaction-\(ProcessInfo.processInfo.processIdentifier)")
        try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
        let outcome = Result { try measure(in: base) }
        try FileManager.default.removeItem(at: base)
        try outcome.get()
    }

    private func measure(in base: URL) throws {
        let store = base.appending(path: "store").path
        try fill(store)
        let inputs = try InputBlocks(ofStoreAt: store)
        print(
            "input: \(inputs.runs.count) runs, \(megabytes(inputs.storedBytes)) stored, "
                + "\(megabytes(inputs.rawBytes)) raw"
        )
        let roofline = CompactionRoofline(inputs: inputs, level: 1)
        var ratios: [Double] = []
        for round in 0..<rounds {
            let bound = try roofline.measure(threads: threads)
            let seconds = try compact(store, copy: base.appending(path: "copy-\(round)").path, bound.entries)
            ratios.append(bound.seconds / seconds.compacted)
            print(
                "roofline \(rate(inputs.rawBytes, bound.seconds)), compact "
                    + "\(rate(inputs.rawBytes, seconds.compacted)), ratio "
                    + "\(decimal(bound.seconds / seconds.compacted)); until its inputs are deleted "
                    + "\(rate(inputs.rawBytes, seconds.closed))")
        }
        print(
            "median ratio \(decimal(ratios.median)), bar \(decimal(Self.bar)): "
                + "\(ratios.median >= Self.bar ? "met" : "missed")"
        )
    }

    /// Fills a last level with all keys, and L0 with a fifth of them again. The result does not depend on the machine's
    /// load.
    private func fill(_ path: String) throws {
        let engine = try Engine.open(at: path, options: options)
        let namespace = try engine.createNamespace(named: [1])
        try put(entries, generation: 0, engine, namespace)
        try engine.compact()
        try put(entries / 5, generation: 1, engine, namespace)
        try engine.flush()
        try engine.close()
    }

    private func put(_ count: Int, generation: Int, _ engine: Engine, _ namespace: NamespaceID) throws {
        let values = ValuePool(valueBytes: valueBytes, seed: 1)
        var hashed = HashedValue(byteCount: valueBytes)
        var key = KeyBuffer(byteCount: 16)
        let order = Permutation(count: entries, seed: UInt64(generation))
        for position in 0..<count {
            let index = order[position]
            key.set(index)
            if random {
                hashed.set(index, generation)
                try engine.put(hashed.span, forKey: key.span, in: namespace)
            } else {
                try engine.put(values.value(index, UInt64(generation)), forKey: key.span, in: namespace)
            }
        }
    }

    /// Compacts a copy whose files have no other names, so that the store is unchanged for the next round.
    private func compact(
        _ store: String, copy: String, _ entries: Int
    ) throws -> (compacted: Double, closed: Double) {
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        sync()
        let copied = try Engine.open(at: copy, options: options)
        let began = Clock.now
        let report = try copied.compact()
        let compacted = Clock.seconds(since: began)
        let stored = copied.statistics.levels.reduce(0) { $0 + $1.entries }
        guard stored == entries else { throw BenchError.wrong("\(stored) entries instead of \(entries)") }
        guard report.writtenBytes > 0 else { throw BenchError.wrong("nothing was compacted") }
        // Waits until the replaced files are deleted.
        try copied.close()
        let closed = Clock.seconds(since: began)
        try FileManager.default.removeItem(atPath: copy)
        return (compacted, closed)
    }

    private func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }
    private func rate(_ bytes: Int, _ seconds: Double) -> String { "\(Int(Double(bytes) / 1e6 / seconds)) MB/s" }
    private func decimal(_ number: Double) -> String { String(format: "%.2f", number) }
}
