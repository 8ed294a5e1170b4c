import Shale
import TestSupport
import Testing

/// The change log of a store, with the paths of namespaces.
@Suite struct StoreChangeLogTests {
    @Test func changesOfAllSpacesAreDeliveredAndCanBeRead() throws {
        let fixture = try StoreFixture()
        let reader = try fixture.reader()
        let log = try reader.changeLog()
        try fixture.store.write { batch throws(StorageError) in
            try batch.set(1, forKey: "k", in: fixture.store.user("ada")["drafts"].child("2026"))
            try batch.set("text", forKey: "l", in: fixture["n"])
        }
        try fixture["n"].remove("l")
        try fixture["n"].drop()
        var changes: [Store.LoggedChange] = []
        while let batch = try log.nextAvailable() {
            #expect(!batch.isGap)
            changes += batch.changes
        }
        changes.removeAll { $0.kind == .optionsChanged }
        #expect(changes.map(\.kind) == [.set, .set, .removed, .dropped])
        #expect(changes.map(\.userID) == ["ada", nil, nil, nil])
        #expect(changes.map(\.path) == [["drafts", "2026"], ["n"], ["n"], ["n"]])
        #expect(changes.map { $0.key.map { String(decoding: $0.bytes, as: UTF8.self) } } == ["k", "l", "l", nil])
        let newer = try reader.refreshed()
        #expect(try changes[0].namespace(in: newer).int(forKey: "k") == 1)
        log.cancel()
        #expect(code { () throws(StorageError) in _ = try log.nextAvailable() } == .closed)
    }

    @Test func aTaskFollowsAWriter() async throws {
        let fixture = try StoreFixture()
        let reader = try fixture.reader()
        let log = try reader.changeLog(pollInterval: .milliseconds(1))
        let task = Task {
            var keys: [String] = []
            for try await batch in log {
                keys += batch.changes.compactMap { $0.key.map { String(decoding: $0.bytes, as: UTF8.self) } }
                if keys.count >= 20 { break }
            }
            return keys
        }
        for i in 0..<20 { try fixture["n"].set(i, forKey: "k\(i)") }
        #expect(try await task.value == (0..<20).map { "k\($0)" })
    }
}
