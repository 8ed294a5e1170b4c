import ShaleEngine

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A process that fills a store and is killed.
enum CrashChild {
    /// Fills the store at `path` in a child, kills the child when its memtable is nearly full, and returns how many
    /// entries had been acknowledged.
    static func run(path: String, entries: Int, settings: StoreSettings) throws -> Int {
        let arguments = [
            "shale-bench", "crash-child", path, String(entries), "--value-bytes", String(settings.valueBytes),
            "--key-bytes", String(settings.keyBytes), "--seed", String(settings.seed), "--cache-mib",
            String(settings.cacheMib), "--memtable-mib", String(settings.memtableMib), "--sync-interval",
            String(settings.syncInterval), "--compression", settings.compression.rawValue,
        ]
        let child = try ChildProcess(arguments)
        let answer = child.readLine()
        child.kill()
        guard let answer, let count = Int(answer) else { throw BenchError("the child ended without an answer") }
        return count
    }

    /// What the child does: `entries` puts, a flush, and puts until the memtable is nearly full. Then it says how many
    /// and waits to be killed.
    static func fill(path: String, entries: Int, settings: StoreSettings) throws {
        let values = ValuePool(valueBytes: settings.valueBytes, seed: settings.seed)
        let target = try Target.open(path: path, settings: settings, values: values)
        let order = FillOrder.shuffled(Permutation(count: entries, seed: settings.seed))
        _ = try target.put(0..<entries, in: order, generation: 0, began: Clock.now)
        try target.engine.flush()
        var count = entries
        let enough = settings.memtableMib << 20
        while target.engine.statistics.memtableBytes < enough / 10 * 9, count - entries < enough / settings.entryBytes {
            _ = try target.put(count..<count + 1000, in: .ascending, generation: 0, began: Clock.now)
            count += 1000
        }
        let answer = Array("\(count)\n".utf8)
        let written = unsafe answer.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
        guard written == answer.count else { throw BenchError.system("write", "standard output", errno) }
        while true { pause() }
    }
}
