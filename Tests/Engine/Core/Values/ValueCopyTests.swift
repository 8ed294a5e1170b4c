import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Checkpoints and read-only engines have the large values of their moment.
@Suite struct ValueCopyTests {
    private func value(_ round: Int) -> String { "\(round)" + String(repeating: "v", count: 3000) }

    private func engine(at path: String, of store: TestStore, mode: Engine.Options.Mode) throws -> Engine {
        var options = store.options
        options.mode = mode
        return try Engine.open(
            at: path, options: options,
            environment: EngineEnvironment(
                fileSystem: store.files, random: SeededRandom(seed: 3), scheduling: .inline))
    }

    private func read(_ key: String, _ engine: Engine) throws -> String? {
        let a = try #require(engine.namespace(named: Array("a".utf8))).id
        return try unsafe engine.value(forKey: Array(key.utf8).span.bytes, in: a).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func aCheckpointHasTheValuesAndOutlivesTheStoresFiles() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value(1), in: a)
        try store.engine.checkpoint(at: "/copy")
        try store.put("k", value(2), in: a)
        try store.engine.flush()
        try store.engine.compact()
        try store.engine.reclaim()
        let copy = try engine(at: "/copy", of: store, mode: .openExisting)
        #expect(try read("k", copy) == value(1))
        #expect(try copy.verify().problems.isEmpty)
        #expect(try store.get("k", in: a) == value(2))
    }

    @Test func aReaderBesideTheOwnerReadsValuesOfLogsAndSegments() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value(1), in: a)
        try store.engine.flush()
        try store.put("l", value(2), in: a)
        let reader = try engine(at: "/store", of: store, mode: .readOnly)
        #expect(try read("k", reader) == value(1))
        #expect(try read("l", reader) == value(2))
        try store.put("k", value(3), in: a)
        let later = try reader.refreshed()
        #expect(try read("k", later) == value(3))
        #expect(try read("k", reader) == value(1))
    }

    @Test func aHeldStateKeepsTheValueFilesOfItsLogs() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value(1), in: a)
        let reader = try engine(at: "/store", of: store, mode: .readOnly)
        // The value is in no segment when the owner's log ends.
        try store.put("k", value(2), in: a)
        try store.engine.flush()
        try store.put("k", value(3), in: a)
        try store.engine.flush()
        try store.engine.compact()
        try store.engine.reclaim()
        #expect(try read("k", reader) == value(1))
    }

    @Test func aCheckpointOfAReaderHasTheValuesOfItsLogs() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value(1), in: a)
        let reader = try engine(at: "/store", of: store, mode: .readOnly)
        try reader.checkpoint(at: "/copy")
        let copy = try engine(at: "/copy", of: store, mode: .openExisting)
        #expect(try read("k", copy) == value(1))
        #expect(try copy.verify().problems.isEmpty)
    }
}
