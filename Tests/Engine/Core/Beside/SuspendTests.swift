import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleEngine

/// An engine that is suspended: another process may write, and the first one continues.
@Suite struct SuspendTests {
    private func open(_ store: TestStore) throws -> Engine { try TestStore.open(store.files, store.options) }

    @Test func anotherProcessWritesMeanwhile() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.put("a", "first", in: ns)
        let suspended = try store.engine.suspend()
        // The directories' descriptors, which hold no lock, stay with the engine.
        #expect(Set(store.files.openHandlePaths).isSubset(of: ["/store", "/store/segments", "/store/wal"]))
        let process = store.files.fork()
        let other = try store.files.run(in: process) { try open(store) }
        let refusal = #expect(throws: StorageError.self) { try suspended.resume() }
        #expect(refusal?.code == .locked)
        try store.files.run(in: process) {
            try other.put(Array("second".utf8), forKey: Array("a".utf8), in: ns)
            try other.put(Array("new".utf8), forKey: Array("b".utf8), in: ns)
            try other.close()
        }
        let resumed = try suspended.resume()
        #expect(resumed.statistics.lastSequence == suspended.lastSequence + 2)
        #expect(try resumed.entries(in: ns).map(\.value) == [Array("second".utf8), Array("new".utf8)])
        try resumed.close()
    }

    @Test func theDeathOfTheOtherProcessFreesTheStore() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        let suspended = try store.engine.suspend()
        let process = store.files.fork()
        let other = try store.files.run(in: process) {
            let other = try open(store)
            try other.put(Array("1".utf8), forKey: Array("k".utf8), in: ns)
            return other
        }
        #expect(code { () throws(StorageError) in _ = try suspended.resume() } == .locked)
        store.files.end(process)
        let resumed = try suspended.resume()
        #expect(try resumed.entries(in: ns).count == 1)
        try resumed.close()
        withExtendedLifetime(other) {}
    }

    @Test func whatWasTakenFromTheEngineEnds() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        for i in 0..<5000 { try store.put("key\(i)", "value", in: ns) }
        let snapshot = store.engine.snapshot()
        var cursor = try store.engine.cursor(in: ns)
        #expect(try cursor.next())
        let transaction = Engine.Transaction(store.engine)
        let log = try store.engine.changeLog()
        let subscription = try store.engine.subscribe(to: ChangeFilter(.prefixed([[]])), capacity: 10)
        try store.put("last", "value", in: ns)
        let suspended = try store.engine.suspend()
        let key = Array("key1".utf8)
        #expect(code { () throws(StorageError) in _ = try store.engine.value(forKey: key, in: ns) } == .closed)
        #expect(
            code { () throws(StorageError) in _ = try store.engine.value(forKey: key, in: ns, at: snapshot) }
                == .closed)
        #expect(code { () throws(StorageError) in try store.engine.put(key, forKey: key, in: ns) } == .closed)
        #expect(code { () throws(StorageError) in while try cursor.next() {} } == .closed)
        #expect(code { () throws(StorageError) in _ = try transaction.value(forKey: key, in: ns) } == .closed)
        #expect(code { () throws(StorageError) in _ = try log.nextAvailable() } == .closed)
        #expect(code { () throws(StorageError) in _ = try store.engine.suspend() } == .closed)
        guard case .change(let change)? = subscription.poll() else { return #expect(Bool(false), "no change") }
        #expect(change.key == Array("last".utf8))
        #expect(subscription.isOver)
        let resumed = try suspended.resume()
        #expect(try resumed.entries(in: ns).count == 5001)
        try resumed.close()
    }

    @Test func aStoreThatIsGoneReplacedOrOlderIsNotResumed() throws {
        let store = try TestStore()
        let ns = try store.namespace("n")
        try store.engine.checkpoint(at: "/older")
        try store.put("k", "v", in: ns)
        let suspended = try store.engine.suspend()
        func replace(by path: String?) throws {
            for file in store.files.paths() where file.hasPrefix("/store/") {
                let (directory, name) = try parent(file, store.files)
                try directory.remove(name)
            }
            guard let path else { return }
            for file in store.files.paths() where file.hasPrefix(path + "/") {
                let (source, name) = try parent(file, store.files)
                let (target, _) = try parent("/store" + file.dropFirst(path.count), store.files)
                try source.link(name, to: name, in: target)
            }
        }
        try replace(by: nil)
        #expect(code { () throws(StorageError) in _ = try suspended.resume() } == .missing)
        try replace(by: "/older")
        #expect(code { () throws(StorageError) in _ = try suspended.resume() } == .outdated)
        let other = try Engine.open(
            at: "/other", options: store.options,
            environment: EngineEnvironment(
                fileSystem: store.files, random: SeededRandom(seed: 99), scheduling: .inline))
        _ = try other.createNamespace(named: [1])
        try other.close()
        try replace(by: "/other")
        #expect(code { () throws(StorageError) in _ = try suspended.resume() } == .outdated)
    }

    private func parent(_ path: String, _ files: SimulatedFileSystem) throws -> (any Directory, String) {
        let parts = path.split(separator: "/")
        let directory = try files.openDirectory("/" + parts.dropLast().joined(separator: "/"), create: false)
        return (directory, String(parts[parts.count - 1]))
    }

    /// On a real disk, with the owner's threads: no lock, no file and no mapping is left, though the engine still is.
    @Test(arguments: [false, true]) func nothingIsLeftOpen(_ mapsSegments: Bool) throws {
        let directory = try TemporaryStore()
        var options = Engine.Options()
        options.memtableBytes = 1 << 20
        options.memoryBudget = 32 << 20
        options.mapsSegments = mapsSegments
        options.statisticsInterval = .milliseconds(100)
        let engine = try Engine.open(at: directory.path, options: options)
        let ns = try engine.createNamespace(named: [1])
        for i in 0..<3000 {
            try engine.put([UInt8](repeating: 7, count: 1000), forKey: Array("key\(i)".utf8), in: ns)
        }
        try engine.flush()
        for i in 0..<3000 { #expect(try engine.value(forKey: Array("key\(i)".utf8), in: ns) != nil) }
        #expect(eventually { (try? PosixFileLock.isHeld(directory.path + "/STATISTICS")) == true })
        let before = try OpenFilesOfStore(directory.path)
        #expect(before.files.contains { $0.hasSuffix(".seg") } && before.files.contains { $0.hasSuffix("/LOCK") })
        let suspended = try engine.suspend()
        #expect(try !PosixFileLock.isHeld(directory.path + "/LOCK"))
        #expect(try !PosixFileLock.isHeld(directory.path + "/STATISTICS"))
        let after = try OpenFilesOfStore(directory.path)
        #expect(after.files == [] && after.mappings == [])
        let resumed = try suspended.resume()
        for i in 0..<3000 { #expect(try resumed.value(forKey: Array("key\(i)".utf8), in: ns) != nil) }
        try resumed.close()
        withExtendedLifetime(engine) {}
    }
}
