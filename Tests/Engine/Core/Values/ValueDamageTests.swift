import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

/// Damage to a value file fails only what needs the value, with a typed error.
@Suite struct ValueDamageTests {
    private let value = String(repeating: "v", count: 3000)

    private func closedStore() throws -> TestStore {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value, in: a)
        try store.put("l", value + "l", in: a)
        try store.put("s", "small", in: a)
        try store.engine.close()
        return store
    }

    private func open(_ store: TestStore) throws -> Engine { try TestStore.open(store.files, store.options) }

    @Test func aDamagedValueFailsItsReadAlone() throws {
        let store = try closedStore()
        let directory = try store.files.openDirectory("/store/segments", create: false)
        let name = try store.valueFiles()[0]
        try directory.damage(name, at: 64 + 24 + 100)
        let engine = try open(store)
        let a = try #require(engine.namespace(named: Array("a".utf8))).id
        let error = #expect(throws: StorageError.self) {
            try unsafe engine.value(forKey: Array("k".utf8).span.bytes, in: a)
        }
        #expect(error?.code == .corruption && error?.file?.hasSuffix(name) == true && error?.offset == 88)
        #expect(try unsafe engine.value(forKey: Array("l".utf8).span.bytes, in: a) == Array((value + "l").utf8))
        #expect(try unsafe engine.value(forKey: Array("s".utf8).span.bytes, in: a) == Array("small".utf8))
        let problems = try engine.verify().problems
        #expect(problems.count == 1 && problems[0].file?.hasSuffix(name) == true)
    }

    @Test func aMissingValueFileFailsTheOpeningAndChangesNothing() throws {
        let store = try closedStore()
        let directory = try store.files.openDirectory("/store/segments", create: false)
        try directory.remove(try store.valueFiles()[0])
        let before = try directory.list().sorted()
        let error = #expect(throws: StorageError.self) { try open(store) }
        #expect(error?.code == .corruption && error?.file?.hasSuffix(".val") == true)
        #expect(try directory.list().sorted() == before)
    }

    @Test func aValueFileThatIsCutFailsTheOpening() throws {
        let store = try closedStore()
        let directory = try store.files.openDirectory("/store/segments", create: false)
        let name = try store.valueFiles()[0]
        try directory.reopen(name).truncate(to: 1000)
        let error = #expect(throws: StorageError.self) { try open(store) }
        #expect(error?.code == .corruption && error?.file?.hasSuffix(name) == true)
    }

    @Test func aLostValueOfASyncedBatchIsCorruption() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value, in: a, durability: .synced)
        try store.put("l", value, in: a, durability: .synced)
        let disk = store.files.crashClone(.keepAll)
        let directory = try disk.openDirectory("/store/segments", create: false)
        let name = try #require(try directory.list().first { $0.hasSuffix(".val") })
        try directory.damage(name, at: 64 + 24 + 100)
        let error = #expect(throws: StorageError.self) { try TestStore.open(disk, store.options) }
        #expect(error?.code == .corruption && error?.file?.hasSuffix(name) == true)
    }

    @Test func aLostValueOfABufferedBatchEndsTheReplay() throws {
        let store = try TestStore { $0.largeValueBytes = 100 }
        let a = try store.namespace("a")
        try store.put("k", value, in: a)
        try store.put("l", value, in: a)
        try store.put("m", "small", in: a)
        let disk = store.files.crashClone(.keepAll)
        let directory = try disk.openDirectory("/store/segments", create: false)
        let name = try #require(try directory.list().first { $0.hasSuffix(".val") })
        try directory.reopen(name).truncate(to: 64 + 24 + 3000 + 24 + 10)
        let engine = try TestStore.open(disk, store.options)
        #expect(engine.recovery.droppedBytes > 0)
        #expect(try engine.entries(in: a).map(\.key) == [Array("k".utf8)])
    }
}

extension Directory {
    /// Replaces one byte of a file by zero.
    fileprivate func damage(_ name: String, at offset: UInt64) throws {
        let zero = OwnedBytes([0])
        defer { withExtendedLifetime(zero) {} }
        try reopen(name).write(zero.bytes, at: offset)
    }
}
