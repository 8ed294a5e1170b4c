import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform

extension HotPath {
    static let engineGetMemtable = HotPath("engine-get-memtable", "one value lent from the memtable") {
        let fixture = try EngineFixture(.memtable)
        return { operations in
            try EngineFixture.getLoop(fixture.engine, fixture.namespace, fixture.data, operations)
        }
    }

    static let engineGetSegment = HotPath("engine-get-segment", "one value lent from a cached block") {
        let fixture = try EngineFixture(.segments)
        return { operations in
            try EngineFixture.getLoop(fixture.engine, fixture.namespace, fixture.data, operations)
        }
    }

    static let engineGetMissing = HotPath("engine-get-missing", "one lookup of a key that no segment has") {
        let fixture = try EngineFixture(.segments)
        return { operations in try missingLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    static let enginePut = HotPath("engine-put", "one buffered put") {
        let fixture = try EngineFixture(.none)
        return { operations in
            try EngineFixture.putLoop(fixture.engine, fixture.namespace, fixture.data, operations)
            return UInt64(operations)
        }
    }

    static let engineBatch = HotPath("engine-batch", "one put in a batch of a hundred") {
        let fixture = try EngineFixture(.none)
        return { operations in try batchLoop(fixture.engine, fixture.namespace, fixture.data, operations) }
    }

    @inline(never)
    private static func missingLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let key = data.missingUserKey(HotPathData.visit(step))
            let count = try engine.withValue(forKey: key.span, in: namespace) { $0.byteCount }
            digest &+= count == nil ? 1 : 0
        }
        return digest
    }

    @inline(never)
    private static func batchLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var done = 0
        while done < operations {
            var batch = WriteBatch()
            let count = min(100, operations - done)
            for step in 0..<count {
                let index = HotPathData.visit(done &+ step)
                try batch.put(data.value(index).span, forKey: data.userKey(index).span, in: namespace)
            }
            try engine.write(batch)
            done &+= count
        }
        return UInt64(done)
    }
}

/// An engine on the real file system, without threads and with a stopped clock.
final class EngineFixture {
    /// The location of the entries of ``HotPathData``.
    enum Content {
        case none
        case memtable
        /// In one compacted level, with all blocks in the cache.
        case segments
    }

    let data = HotPathData()
    let engine: Engine
    let namespace: NamespaceID
    private let temporary: TemporaryDirectory

    static var options: Engine.Options {
        var options = Engine.Options()
        options.time = ManualTime()
        return options
    }

    static var environment: EngineEnvironment {
        EngineEnvironment(random: SeededRandom(seed: 1), scheduling: .inline)
    }

    init(_ content: Content) throws {
        temporary = try TemporaryDirectory()
        engine = try Engine.open(
            at: temporary.path, options: EngineFixture.options, environment: EngineFixture.environment)
        namespace = try engine.createNamespace(named: Array("hot".utf8))
        guard content != .none else { return }
        try EngineFixture.putLoop(engine, namespace, data, HotPathData.count)
        guard content == .segments else { return }
        try engine.compact()
        _ = try EngineFixture.getLoop(engine, namespace, data, HotPathData.count)
    }

    @inline(never)
    static func putLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) {
        for step in 0..<operations {
            let index = HotPathData.visit(step)
            try engine.put(data.value(index).span, forKey: data.userKey(index).span, in: namespace)
        }
    }

    @inline(never)
    static func getLoop(
        _ engine: Engine, _ namespace: NamespaceID, _ data: HotPathData, _ operations: Int
    ) throws(StorageError) -> UInt64 {
        var digest: UInt64 = 0
        for step in 0..<operations {
            let key = data.userKey(HotPathData.visit(step))
            let word = try engine.withValue(forKey: key.span, in: namespace) { value in
                unsafe value.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self)
            }
            digest &+= word ?? 0
        }
        return digest
    }
}

/// A directory that is removed with its last reference.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        // The path always has the same length, so that no count depends on it.
        let name = "shale-hot-path-" + UUID().uuidString
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            print("the temporary directory \(path) can't be removed: \(error)")
        }
    }
}
