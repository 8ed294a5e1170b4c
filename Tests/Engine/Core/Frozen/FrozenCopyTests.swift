import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// A checkpoint, and the frozen store that a backup copies, equal a prefix of batches and control
/// operations in sequence order.
@Suite struct FrozenCopyTests {
    enum Control: CaseIterable, Sendable { case drop, truncate, purge, setOptions, create }

    /// The state is taken while its flush is held up. Meanwhile a batch and a control operation follow, and a
    /// compaction applies the operation to segments. The second memtable is flushed after all of that.
    @Test(arguments: Control.allCases, CopyKind.allCases)
    func nothingFollowsTheMomentOfTheCopy(_ control: Control, _ kind: CopyKind) throws {
        let store = try TestStore(scheduling: .deferred)
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        let (engine, core) = (store.engine, store.engine.core)
        let purgeable = PutOptions(isPurgeable: true)
        try store.put("in a segment", "old", in: a, options: purgeable)
        try engine.flush()
        try store.put("in a full memtable", "old", in: a, options: purgeable)
        try core.committer.exclusively { () throws(StorageError) in try core.rotate(bytes: 0, operations: 0) }
        try store.put("in the mutable memtable", "old", in: a, options: purgeable)

        let gate = TestGate()
        let isFirst = Atomic(true)
        store.files.willPerform = { kind, path in
            guard kind == .sync, path.hasSuffix(".seg") else { return }
            if isFirst.exchange(false, ordering: .relaxed) { gate.pass() }
        }
        try TestThreads.run(2) { thread in
            if thread == 0 { return try kind.copy(engine, to: "/copy") }
            gate.waitForArrival()
            defer { gate.open() }
            try engine.put(Array("new".utf8), forKey: Array("later".utf8), in: b)
            try FrozenCopyTests.perform(control, on: a, engine)
            try core.background?.compactInline()
        }
        store.files.willPerform = nil

        let copy = try CopyKind.open("/copy", store.files)
        #expect(copy.namespace(named: Array("a".utf8))?.options == [])
        #expect(
            try copy.entries(in: a).map { String(decoding: $0.key, as: UTF8.self) }
                == ["in a full memtable", "in a segment", "in the mutable memtable"])
        #expect(try copy.entries(in: b).isEmpty)
        #expect(copy.namespaces.count == 2)
        #expect(try copy.verify().problems.isEmpty)
        // Versions that were kept for the copy are released afterwards.
        #expect(core.snapshots.count == 0)
        try engine.compact()
        if control == .drop { #expect(FrozenCopyTests.storedEntries(core) == 1) }
    }

    private static func storedEntries(_ core: EngineCore) -> UInt64 {
        let segments = core.viewCell.retained().version.levels.flatMap(\.segments)
        return segments.reduce(0) { $0 + UInt64($1.metadata.entryCount) }
    }

    private static func perform(_ control: Control, on a: NamespaceID, _ engine: Engine) throws {
        switch control {
        case .drop: try engine.drop([a])
        case .truncate: try engine.truncate([a])
        case .purge: try engine.purge([a])
        case .setOptions: try engine.setOptions([1], of: a)
        case .create: try engine.createNamespace(named: Array("c".utf8))
        }
    }

    /// A writer repeatedly puts a number and then stores it with a namespace. No copy may have the second without the
    /// first.
    @Test(arguments: CopyKind.allCases) func aCopyOfABusyStoreIsAPrefix(_ kind: CopyKind) throws {
        let files = SimulatedFileSystem(seed: 1)
        files.recordsOperations = false
        let store = try TestStore(files, scheduling: .threads)
        let (a, b) = (try store.namespace("a"), try store.namespace("b"))
        let engine = store.engine
        let isDone = Atomic(false)
        try TestThreads.run(2) { thread in
            if thread == 1 {
                var number = 0
                while !isDone.load(ordering: .relaxed) {
                    try engine.put(Array("\(number)".utf8), forKey: [0], in: b)
                    try engine.setOptions(Array("\(number)".utf8), of: a)
                    number += 1
                }
                return
            }
            defer { isDone.store(true, ordering: .relaxed) }
            for round in 0..<20 {
                try kind.copy(engine, to: "/copy\(round)")
                let copy = try CopyKind.open("/copy\(round)", files)
                let options = copy.namespace(named: Array("a".utf8))?.options ?? []
                let stored = Int(String(decoding: options, as: UTF8.self)) ?? -1
                let value = try copy.value(forKey: [0], in: b) ?? []
                let put = Int(String(decoding: value, as: UTF8.self)) ?? -1
                #expect(stored == put || stored + 1 == put, "round \(round): options \(stored), put \(put)")
                try copy.close()
            }
        }
        try engine.close()
    }

    /// The moment has a version when its own memtables are in segments, not earlier, and keeps it when others follow.
    @Test func aMomentTakesTheVersionThatHasAllOfItAndNoMore() throws {
        let store = try TestStore(scheduling: .deferred)
        let a = try store.namespace("a")
        let core = store.engine.core
        try store.put("of the moment", "old", in: a)
        let moment = try core.committer.exclusively { () throws(StorageError) in
            let moment = FrozenMoment(core, newest: try core.rotateForFlush())
            core.frozen.begin(moment, core.viewCell.retained())
            return moment
        }
        defer { core.frozen.end(moment) }
        #expect(core.frozen.version(of: moment) == nil)
        try core.flushOldest()
        func entries() -> UInt64? {
            let segments = core.frozen.version(of: moment)?.levels.flatMap(\.segments)
            return segments?.reduce(0) { $0 + UInt64($1.metadata.entryCount) }
        }
        #expect(entries() == 1)
        try store.put("later", "new", in: a)
        try store.engine.flush()
        #expect(FrozenCopyTests.storedEntries(core) == 2)
        #expect(entries() == 1)
    }

    /// A failed copy holds nothing back.
    @Test func aCopyThatFailedHoldsNothing() throws {
        let store = try TestStore(scheduling: .deferred)
        let a = try store.namespace("a")
        try store.put("key", "value", in: a)
        store.files.inject(FaultRule(on: [.create], path: "*.seg", when: .match(1), .error(28)))
        #expect(throws: StorageError.self) { try store.engine.checkpoint(at: "/copy") }
        #expect(store.engine.core.snapshots.count == 0)
        try store.engine.drop([a])
        try store.engine.compact()
        #expect(FrozenCopyTests.storedEntries(store.engine.core) == 0)
    }
}

/// The two ways of copying an open store.
enum CopyKind: CaseIterable, Sendable {
    case checkpoint, frozen

    func copy(_ engine: Engine, to path: String) throws {
        switch self {
        case .checkpoint: try engine.checkpoint(at: path)
        case .frozen: try CopyKind.write(try engine.freeze(), engine, to: path)
        }
    }

    /// Copies like a backup and its restoring, without the backup.
    private static func write(_ store: FrozenStore, _ engine: Engine, to path: String) throws {
        let root = try engine.core.environment.fileSystem.openDirectory(path, create: true)
        let target = try StoreDirectories(root: root, create: true).segments
        let segments = store.state.version.levels.flatMap(\.segments)
        for segment in segments {
            let name = StoreLayout.segment(segment.number)
            try store.segments.link(name, to: name, in: target)
        }
        let environment = engine.core.segmentEnvironment
        let manifest = try Manifest.start(
            in: root, state: store.state, identity: store.identity,
            fileNumbers: FileNumbers(next: store.state.nextFileNumber),
            makeSegment: { Segment(metadata: $0, directory: target, environment: environment) })
        try manifest.close()
    }

    static func open(_ path: String, _ files: SimulatedFileSystem) throws -> Engine {
        try Engine.open(
            at: path, options: TestStore.smallOptions,
            environment: EngineEnvironment(fileSystem: files, random: SeededRandom(seed: 7), scheduling: .inline))
    }
}
