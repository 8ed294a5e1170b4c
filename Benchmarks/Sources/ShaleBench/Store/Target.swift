import ShaleEngine

/// What a workload's threads work on.
struct Target: Sendable {
    let engine: Engine
    let namespace: NamespaceID
    let values: ValuePool
    let keyBytes: Int

    static func open(path: String, settings: StoreSettings, values: ValuePool) throws -> Target {
        let engine = try Engine.open(at: path, options: settings.engineOptions)
        let namespace = try engine.createNamespace(named: Array("bench".utf8))
        return Target(engine: engine, namespace: namespace, values: values, keyBytes: settings.keyBytes)
    }

    /// The levels that hold something, as `L0:2 L5:7`, and what is in memory.
    var treeDescription: String {
        let statistics = engine.statistics
        let levels = statistics.levels.filter { $0.segments > 0 }.map { "L\($0.level):\($0.segments)" }
        let parts = levels + (statistics.lastSequence > 0 && levels.isEmpty ? ["memtable only"] : [])
        return parts.joined(separator: " ")
    }

    /// Whether all raw bytes of the segments fit the cache.
    func isCacheable(in cacheBytes: Int) -> Bool {
        Double(engine.statistics.levels.reduce(0) { $0 + $1.rawBytes }) * 1.1 < Double(cacheBytes)
    }
}
