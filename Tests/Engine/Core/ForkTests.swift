import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleEngine

/// A child made by `fork` has a copy of the engine, whose files and locks belong to the parent.
@Suite struct ForkTests {
    private let files = SimulatedFileSystem(seed: 1)
    private let forks = ForkWatch()

    private func open() throws -> Engine {
        var environment = EngineEnvironment(
            fileSystem: files, random: SeededRandom(seed: 7), scheduling: .deferred)
        environment.forks = forks
        return try Engine.open(at: "/store", options: TestStore.smallOptions, environment: environment)
    }

    @Test func aChildCanNotChangeTheStore() throws {
        let engine = try open()
        let ns = try engine.createNamespace(named: [1])
        let bytes: [UInt8] = [7]
        try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: ns)
        let writer = try engine.makeValueWriter()
        try unsafe writer.append([UInt8](repeating: 1, count: 1 << 20).span.bytes)
        forks.noteFork()
        let before = files.operationCount
        let actions: [() throws -> Void] = [
            { try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: ns) },
            { try unsafe engine.put(bytes.span.bytes, forKey: bytes.span.bytes, in: ns, durability: .synced) },
            { try unsafe engine.delete(bytes.span.bytes, in: ns) },
            {
                var batch = WriteBatch()
                try unsafe batch.put(bytes.span.bytes, forKey: bytes.span.bytes, in: ns)
                try engine.write(batch)
            },
            { _ = try engine.createNamespace(named: [2]) }, { try engine.drop([ns]) }, { try engine.truncate([ns]) },
            { _ = try engine.makeValueWriter() }, { try unsafe writer.append(bytes.span.bytes) },
            { try unsafe writer.commit(forKey: bytes.span.bytes, in: ns) }, { try engine.purge([ns]) },
            { try engine.sync() }, { try engine.flush() }, { try engine.compact() },
            { try engine.reclaim() }, { try engine.checkpoint(at: "/copy") }, { try engine.rewriteManifest() },
            { try engine.close() },
        ]
        for (index, action) in actions.enumerated() {
            let error = #expect(throws: StorageError.self, "\(index)") { try action() }
            #expect(error?.code == .invalidArgument, "\(index)")
        }
        writer.cancel()
        #expect(files.operationCount == before, "no file is touched")
    }

    /// Releasing the engine does not affect them either: lock, log and threads belong to the parent.
    @Test func aChildLetsGoWithoutATrace() throws {
        var engine: Engine? = try open()
        _ = try engine?.createNamespace(named: [1])
        var writer = try engine?.makeValueWriter()
        try unsafe writer?.append([UInt8](repeating: 1, count: 1 << 20).span.bytes)
        forks.noteFork()
        let before = (files.operationCount, files.openHandlePaths.count)
        engine = nil
        writer = nil
        #expect((files.operationCount, files.openHandlePaths.count) == before)
        #expect(throws: StorageError.self, "the store is locked, by the parent") { try open() }
    }

    @Test func aStoreThatTheChildOpensIsItsOwn() throws {
        forks.noteFork()
        let engine = try open()
        _ = try engine.createNamespace(named: [1])
        try engine.close()
    }

    /// A child made while the store was open can open it as soon as its parent has closed it, and not before.
    @Test func aChildOpensWhatItsParentHasClosed() throws {
        let engine = try open()
        _ = try engine.createNamespace(named: [1])
        let child = files.fork()
        files.run(in: child) {
            let error = #expect(throws: StorageError.self) { _ = try open() }
            #expect(error?.code == .locked)
        }
        try engine.close()
        let opened = try files.run(in: child) { try open() }
        #expect(opened.namespaces.map(\.name) == [[1]])
        #expect(throws: StorageError.self, "the child has it now") { _ = try open() }
        try files.run(in: child) { try opened.close() }
        try open().close()
    }

    /// The child's use of its copy of the engine does not affect the lock.
    @Test func aChildThatEndsLeavesItsParentTheLock() throws {
        let engine = try open()
        let child = files.fork()
        files.end(child)
        #expect(throws: StorageError.self) { _ = try open() }
        _ = try engine.createNamespace(named: [1])
        try engine.close()
        try open().close()
    }
}
