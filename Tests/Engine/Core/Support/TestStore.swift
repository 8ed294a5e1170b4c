import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// A store on a simulated disk, with shorthands for tests.
final class TestStore {
    let files: SimulatedFileSystem
    let time: ManualTime
    var options: Engine.Options
    var scheduling: EngineEnvironment.Scheduling
    private(set) var engine: Engine

    init(
        _ files: SimulatedFileSystem = SimulatedFileSystem(seed: 1),
        scheduling: EngineEnvironment.Scheduling = .inline, time: ManualTime = ManualTime(),
        _ change: (inout Engine.Options) -> Void = { _ in }
    ) throws {
        self.files = files
        self.time = time
        self.scheduling = scheduling
        options = TestStore.smallOptions
        options.time = time
        change(&options)
        engine = try TestStore.open(files, options, scheduling)
    }

    /// Options so small that a few hundred entries cause flushes and compactions.
    static var smallOptions: Engine.Options {
        var options = Engine.Options()
        options.memtableBytes = 64 << 10
        options.valueFileBytes = 64 << 10
        options.memoryBudget = 8 << 20
        options.blockBytes = 1 << 10
        options.segmentBytes = 64 << 10
        options.upperSegmentBytes = 16 << 10
        options.baseLevelBytes = 64 << 10
        options.fanOut = 4
        options.syncInterval = nil
        return options
    }

    static func open(
        _ files: SimulatedFileSystem, _ options: Engine.Options, _ scheduling: EngineEnvironment.Scheduling = .inline
    ) throws -> Engine {
        try Engine.open(at: "/store", options: options, environment: environment(files, scheduling))
    }

    /// Values of 1 KiB that are written in pieces have files of their own.
    static func environment(
        _ files: SimulatedFileSystem, _ scheduling: EngineEnvironment.Scheduling = .inline
    ) -> EngineEnvironment {
        var environment = EngineEnvironment(
            fileSystem: files, random: SeededRandom(seed: 7), scheduling: scheduling)
        environment.streamedValueBytesMin = 1 << 10
        return environment
    }

    func reopen() throws {
        try engine.close()
        engine = try TestStore.open(files, options, scheduling)
    }

    func namespace(_ name: String) throws -> NamespaceID { try engine.createNamespace(named: Array(name.utf8)) }

    func put(
        _ key: String, _ value: String, in namespace: NamespaceID, options: PutOptions = PutOptions(),
        durability: Durability? = nil
    ) throws {
        try unsafe engine.put(
            Array(value.utf8).span.bytes, forKey: Array(key.utf8).span.bytes, in: namespace, options: options,
            durability: durability)
    }

    func delete(_ key: String, in namespace: NamespaceID) throws {
        try unsafe engine.delete(Array(key.utf8).span.bytes, in: namespace)
    }

    func get(_ key: String, in namespace: NamespaceID, at snapshot: Engine.Snapshot? = nil) throws -> String? {
        let value = try unsafe engine.value(forKey: Array(key.utf8).span.bytes, in: namespace, at: snapshot)
        return value.map { String(decoding: $0, as: UTF8.self) }
    }

    func scan(
        _ namespace: NamespaceID, _ range: KeyRange = .all, order: ScanOrder = .forward,
        at snapshot: Engine.Snapshot? = nil
    ) throws -> [String] {
        try engine.entries(over: range, in: namespace, order: order, at: snapshot).map {
            "\(String(decoding: $0.key, as: UTF8.self))=\(String(decoding: $0.value, as: UTF8.self))"
        }
    }
}
