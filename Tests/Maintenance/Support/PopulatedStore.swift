import ShaleBase
import ShalePlatform
import ShaleSimulation

@testable import ShaleEngine

/// A store with a history: several namespaces, levels and logs, with deletes, purges, truncations, drops and expiry.
///
/// It is made once and cloned for each test.
final class PopulatedStore: Sendable {
    /// The files in the state that the writing process left.
    let files: SimulatedFileSystem
    let seed: UInt64
    let time: ManualTime
    /// The content of the store, by name of namespace and key.
    let content: [[UInt8]: [[UInt8]: [UInt8]]]
    /// All values that were ever written; each was written only once.
    let values: Set<[UInt8]>

    /// Odd seeds leave logs behind, as a kill does; even seeds close the store.
    init(seed: UInt64, operations: Int = 1500) throws {
        let time = ManualTime()
        let script = try StoreScript(seed: seed, time: time)
        try script.run(operations)
        self.seed = seed
        self.time = time
        values = script.values
        if seed % 2 == 0 { try script.engine.close() }
        files = script.files.crashClone(.processKill)
        content = try Self.content(of: files, at: StoreScript.path, time)
    }

    /// Returns the whole content of a store.
    static func content(
        of files: SimulatedFileSystem, at path: String, _ time: ManualTime
    ) throws -> [[UInt8]: [[UInt8]: [UInt8]]] {
        let engine = try open(files, at: path, time)
        let content = try content(engine)
        try engine.close()
        return content
    }

    static func content(_ engine: Engine) throws -> [[UInt8]: [[UInt8]: [UInt8]]] {
        var content: [[UInt8]: [[UInt8]: [UInt8]]] = [:]
        for namespace in engine.namespaces {
            let entries = try engine.entries(in: namespace.id)
            content[namespace.name] = Dictionary(uniqueKeysWithValues: entries.map { ($0.key, $0.value) })
        }
        return content
    }

    static func open(_ files: SimulatedFileSystem, at path: String, _ time: ManualTime) throws -> Engine {
        var options = StoreScript.options(time)
        options.mode = .readOnly
        return try Engine.open(
            at: path, options: options,
            environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }
}
