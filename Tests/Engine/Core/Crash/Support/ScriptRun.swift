import ShaleBase
import ShalePlatform
import ShaleSimulation

@testable import ShaleEngine

/// Runs a script on a simulated disk and tracks what has been promised.
final class ScriptRun {
    let script: CrashScript
    let files: SimulatedFileSystem
    private(set) var engine: Engine?
    private(set) var progress = CrashProgress()
    private(set) var stepIndex = 0
    private let options: Engine.Options
    private let scheduling: EngineEnvironment.Scheduling

    init(
        _ script: CrashScript, on files: SimulatedFileSystem = SimulatedFileSystem(seed: 1),
        scheduling: EngineEnvironment.Scheduling = .inline, options: Engine.Options = ScriptRun.options
    ) {
        self.script = script
        self.scheduling = scheduling
        self.files = files
        files.recordsOperations = false
        // Both ways of appending to a log are crashed: one with delayed flushes, one without.
        if case .deferred = scheduling { files.mapsFiles = false }
        self.options = options
    }

    static var options: Engine.Options {
        var options = TestStore.smallOptions
        options.time = ManualTime()
        return options
    }

    static func open(
        _ files: SimulatedFileSystem, _ options: Engine.Options = options,
        scheduling: EngineEnvironment.Scheduling = .inline
    ) throws(StorageError) -> Engine {
        try Engine.open(at: "/store", options: options, environment: TestStore.environment(files, scheduling))
    }

    func open() throws(StorageError) { engine = try ScriptRun.open(files, options, scheduling: scheduling) }

    /// Drops the engine without closing it.
    func abandon() { engine = nil }

    /// Runs every step, and calls `afterStep` between them.
    func run(_ afterStep: () -> Void = {}) throws(StorageError) {
        try open()
        afterStep()
        for (index, step) in script.steps.enumerated() {
            stepIndex = index
            progress.begin(step, index: index)
            try perform(step, index)
            progress.end(step)
            afterStep()
        }
        engine = nil
    }

    func perform(_ step: CrashStep, _ index: Int) throws(StorageError) {
        guard let engine else { throw StorageError(.closed, "the script's store is closed") }
        switch step {
        case .create(let name): try engine.createNamespace(named: Array(name.utf8))
        case .write(let mutations, let synced): try write(mutations, synced ? .synced : .buffered, index, engine)
        case .setOptions(let name, let options): try engine.setOptions(options, of: id(name, engine))
        case .purge(let names): try engine.purge(try ids(names, engine))
        case .truncate(let names): try engine.truncate(try ids(names, engine))
        case .drop(let names): try engine.drop(try ids(names, engine))
        case .sync: try engine.sync()
        case .flush: try engine.flush()
        case .compact: try engine.compact()
        case .reclaim: try engine.reclaim()
        case .checkpoint(let path): try engine.checkpoint(at: path)
        case .reopen:
            try engine.close()
            self.engine = nil
            try open()
        case .suspend:
            let suspended = try engine.suspend()
            self.engine = nil
            self.engine = try suspended.resume()
        case .idle:
            try engine.core.keepLogSpace(.slow)
            try engine.core.keepLogSpace(.none)
            while try engine.core.syncGrownValue() {}
            try engine.core.committer.syncIfBuffered()
            try engine.core.committer.markIfIdle()
        case .busy: try engine.core.keepLogSpace(.busy)
        case .work: try engine.core.background?.runInline()
        }
    }

    private func write(
        _ mutations: [Mutation], _ durability: Durability, _ index: Int, _ engine: Engine
    ) throws(StorageError) {
        if mutations.count == 1 {
            let mutation = mutations[0]
            let namespace = try id(mutation.namespace, engine)
            if mutation.valueBytes == nil {
                return try unsafe engine.delete(mutation.key.span.bytes, in: namespace, durability: durability)
            }
            if script.streamsValues { return try stream(mutation, durability, index, engine) }
            return try unsafe engine.put(
                mutation.value(step: index, index: 0).span.bytes, forKey: mutation.key.span.bytes, in: namespace,
                options: PutOptions(isPurgeable: mutation.isPurgeable), durability: durability)
        }
        var batch = WriteBatch()
        for (i, mutation) in mutations.enumerated() {
            let namespace = try id(mutation.namespace, engine)
            if mutation.valueBytes == nil {
                try unsafe batch.delete(mutation.key.span.bytes, in: namespace)
            } else {
                try unsafe batch.put(
                    mutation.value(step: index, index: i).span.bytes, forKey: mutation.key.span.bytes, in: namespace,
                    options: PutOptions(isPurgeable: mutation.isPurgeable))
            }
        }
        try engine.write(batch, durability: durability)
    }

    /// Writes a value in two pieces.
    private func stream(
        _ mutation: Mutation, _ durability: Durability, _ index: Int, _ engine: Engine
    ) throws(StorageError) {
        let value = mutation.value(step: index, index: 0)
        let writer = try engine.makeValueWriter()
        for piece in [value.prefix(value.count / 3), value.dropFirst(value.count / 3)] {
            try unsafe writer.append(Array(piece).span.bytes)
        }
        try unsafe writer.commit(
            forKey: mutation.key.span.bytes, in: try id(mutation.namespace, engine),
            options: PutOptions(isPurgeable: mutation.isPurgeable), durability: durability)
    }

    private func ids(_ names: [String], _ engine: Engine) throws(StorageError) -> [NamespaceID] {
        var ids: [NamespaceID] = []
        for name in names { ids.append(try id(name, engine)) }
        return ids
    }

    private func id(_ name: String, _ engine: Engine) throws(StorageError) -> NamespaceID {
        guard let found = engine.namespace(named: Array(name.utf8)) else {
            throw StorageError(.namespaceDropped, "the script uses \(name) before it exists")
        }
        return found.id
    }
}
