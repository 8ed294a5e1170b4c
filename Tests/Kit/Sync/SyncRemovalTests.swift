import Shale
import ShaleBase
import ShaleCollections
import ShaleSync
import ShaleSyncServer
import Testing

/// Removing a user at the server.
@Suite struct SyncRemovalTests {
    private let sync: LoopbackSync

    init() throws { sync = try LoopbackSync() }

    /// Makes a device of a user that has sent records and a deletion.
    private func device(_ seed: UInt64, _ user: String) async throws -> Device {
        let device = try sync.device(seed, user: user)
        try await device.todos.insert(contentsOf: (1...600).map { ToDo(id: $0, title: "\(user) \($0)") })
        try await device.client.synchronise()
        try device.todos.delete(try RecordKey(1))
        try await device.client.synchronise()
        return device
    }

    /// The keys of the server's store that contain the id of a user.
    private func keys(of user: String) throws -> Int {
        let root = sync.store.common["sync"]
        let id = Array(user.utf8)
        return try root.childNames.reduce(0) { count, name in
            count
                + (try root.child(name).keys.array().filter { key in
                    key.bytes.indices.contains { key.bytes[$0...].starts(with: id) }
                }.count)
        }
    }

    @Test func aRemovedUserLeavesNothingAndOthersAllOfTheirs() async throws {
        _ = try await device(1, "ada-lovelace")
        _ = try await device(2, "grace-hopper")
        let before = try keys(of: "grace-hopper")
        #expect(try keys(of: "ada-lovelace") == before)
        try await sync.server.removeUser("ada-lovelace")
        #expect(try keys(of: "ada-lovelace") == 0)
        #expect(try keys(of: "grace-hopper") == before)
        #expect(try sync.server.problems().isEmpty)
        try await sync.server.removeUser("ada-lovelace")
    }

    @Test func duringARemovalCallsAreRefusedAndUpkeepFinishesIt() async throws {
        let ada = try await device(1, "ada-lovelace")
        try await ada.todos.insert(ToDo(id: 1000, title: "late"))
        #expect(try sync.server.beginRemoval(of: "ada-lovelace"))
        do {
            try await ada.client.synchronise()
            Issue.record("the server answered")
        } catch {
            #expect(error.status == 403)
        }
        #expect(try await sync.server.removeOutdated().users == 1)
        #expect(try keys(of: "ada-lovelace") == 0)
        #expect(try await sync.server.removeOutdated().users == 0)
    }

    @Test func aDeviceWhoseUserWasRemovedSendsWhatItHas() async throws {
        let ada = try await device(1, "ada")
        try await sync.server.removeUser("ada")
        try await ada.client.synchronise()
        let other = try sync.device(2, user: "ada")
        try await other.client.synchronise()
        #expect(try other.all() == (try ada.all()))
        #expect(try other.todos.count() == 599)
    }
}
