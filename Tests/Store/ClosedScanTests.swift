import Shale
import TestSupport
import Testing

/// Closing the store during a walk: the next step throws `.closed`, and so does every later one.
@Suite struct ClosedScanTests {
    private func filled() throws -> StoreFixture {
        let fixture = try StoreFixture(isSmall: true)
        for index in 0..<1000 { try fixture["n"].set([UInt8](repeating: 1, count: 200), forKey: "k\(index)") }
        try fixture.store.engine.flush()
        return fixture
    }

    @Test func aCursorEnds() throws {
        let fixture = try filled()
        let cursor = fixture["n"].entries.cursor()
        let first = try #require(try cursor.next())
        try fixture.store.close()
        for _ in 0..<2 { #expect(code { () throws(StorageError) in _ = try cursor.next() } == .closed) }
        #expect(try first.value(as: [UInt8].self).count == 200, "an entry is a copy")
        try fixture.reopen()
        #expect(code { () throws(StorageError) in _ = try cursor.next() } == .closed)
    }

    @Test func aLoopEndsWithinAPage() async throws {
        let fixture = try filled()
        var count = 0
        do throws(StorageError) {
            for try await _ in fixture["n"].entries {
                count += 1
                if count == 10 { try await fixture.store.close() }
            }
            Issue.record("the store is closed")
        } catch {
            #expect(error.code == .closed)
        }
        #expect(count <= 256)
        try fixture.reopen()
    }

    @Test func aSnapshotEnds() throws {
        let fixture = try filled()
        let namespace = fixture["n"]
        let snapshot = try fixture.store.snapshot()
        let cursor = snapshot[namespace].keys.cursor()
        _ = try cursor.next()
        try fixture.store.close()
        #expect(code { () throws(StorageError) in _ = try cursor.next() } == .closed)
        #expect(code { () throws(StorageError) in _ = try snapshot[namespace].data(forKey: "k1") } == .closed)
        #expect(code { () throws(StorageError) in _ = try snapshot[namespace].contains("k1") } == .closed)
        #expect(code { () throws(StorageError) in _ = try snapshot[namespace].count() } == .closed)
        #expect(code { () throws(StorageError) in _ = try fixture.store.snapshot() } == .closed)
        try fixture.reopen()
    }
}
