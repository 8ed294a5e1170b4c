// A to-do list on two devices. Both are offline and change the list; when they are online again, the list is the same
// on both. Changes of different fields are both there. Where both changed one field, the later change wins, and the
// other one is shown to the user, who may take it back.
import ExampleSupport
import Foundation
import ShaleSync
import ShaleSyncServer
import Synchronization

struct ToDo: Codable, Sendable, Equatable {
    var id: UUID
    var title: String
    var isDone = false
    var due: String?

    static let schema = RecordSchema<ToDo>(
        "todos", key: \.id,
        fields: [
            RecordField("id", \.id), RecordField("title", \.title, .notNull), RecordField("isDone", \.isDone),
            RecordField("due", \.due),
        ])
}

/// The way to the server. Here both are in one process; `HTTPSyncTransport` is the way over HTTP, and the package
/// `tools/SyncServer` the server behind it.
final class Network: SyncTransport {
    private struct Unreachable: Error {}

    private let server: SyncServer
    private let isUp = Atomic(true)

    init(_ server: SyncServer) { self.server = server }

    func set(up: Bool) { isUp.store(up, ordering: .relaxed) }

    func send(_ call: SyncCall, body: [UInt8]) async throws -> SyncReply {
        guard isUp.load(ordering: .relaxed) else { throw Unreachable() }
        // A server over HTTP takes the user from the credentials of the request.
        return try await server.answer(call, body: body, user: "ada")
    }
}

/// A device of the user.
struct Device {
    let name: String
    let store: Store
    let network: Network
    let sync: SyncClient
    let todos: RecordCollection<ToDo>

    init(_ name: String, in directory: String, _ server: SyncServer) throws {
        self.name = name
        store = try Store(at: directory + "/" + name)
        network = Network(server)
        sync = try SyncClient(store.user("ada"), transport: network)
        todos = try sync.collection(ToDo.schema, onConflict: .fieldByField)
    }

    /// The list, as a user interface shows it.
    func lines() throws -> [String] {
        try todos.query().records().sorted { $0.title < $1.title }.map {
            "[\($0.isDone ? "x" : " ")] \($0.title)" + ($0.due.map { ", due \($0)" } ?? "")
        }
    }

    func find(_ title: String) throws -> ToDo {
        guard let todo = try todos.query().records().first(where: { $0.title == title }) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return todo
    }

    func change(_ todo: ToDo, _ body: (inout ToDo) -> Void) throws {
        var changed = todo
        body(&changed)
        try todos.put(changed)
    }
}

@main
struct TwoDevicesExample {
    static func main() async throws {
        let directory = FileManager.default.temporaryDirectory.path + "/shale-example-\(UUID().uuidString)"
        defer { do { try FileManager.default.removeItem(atPath: directory) } catch { print("\(directory): \(error)") } }
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let server = SyncServer(try Store(at: directory + "/server"))
        let phone = try Device("phone", in: directory, server)
        let laptop = try Device("laptop", in: directory, server)
        try await beginTogether(phone, laptop)
        try await changeOffline(phone, laptop)
        try await meetAgain(phone, laptop)
        try await solve(phone, laptop)
        try await signOut(phone, laptop)
    }

    static func beginTogether(_ phone: Device, _ laptop: Device) async throws {
        for title in ["Buy milk", "Call Bob", "Pay rent"] {
            try await phone.todos.insert(ToDo(id: UUID(), title: title))
        }
        for device in [phone, laptop] { try await device.sync.synchronise() }
        expect(try laptop.lines() == (try phone.lines()), "the laptop has the phone's list")
        show("both devices", phone)
    }

    static func changeOffline(_ phone: Device, _ laptop: Device) async throws {
        for device in [phone, laptop] { device.network.set(up: false) }
        // Different fields of one record.
        try phone.change(try phone.find("Call Bob")) { $0.due = "Friday" }
        try laptop.change(try laptop.find("Call Bob")) { $0.isDone = true }
        // One field of one record: the laptop is later.
        try phone.change(try phone.find("Buy milk")) { $0.title = "Buy oat milk" }
        try await Task.sleep(for: .milliseconds(5))
        try laptop.change(try laptop.find("Buy milk")) { $0.title = "Buy soy milk" }
        // A deletion, and a new record.
        try phone.todos.delete(try RecordKey(try phone.find("Pay rent").id))
        try await laptop.todos.insert(ToDo(id: UUID(), title: "Water plants"))
        for device in [phone, laptop] {
            do throws(SyncError) {
                try await device.sync.synchronise()
                expect(false, "\(device.name) is offline")
            } catch {
                expect(error.code == .offline, "\(device.name) knows that it is offline")
            }
            expect(device.sync.status.pending == 3, "\(device.name) has three changes to send")
            show("\(device.name), offline", device)
        }
    }

    static func meetAgain(_ phone: Device, _ laptop: Device) async throws {
        for device in [phone, laptop] { device.network.set(up: true) }
        // The phone's second turn gets what the laptop has sent.
        for device in [phone, laptop, phone] { try await device.sync.synchronise() }
        let merged = ["[ ] Buy soy milk", "[x] Call Bob, due Friday", "[ ] Water plants"]
        for device in [phone, laptop] {
            expect(try device.lines() == merged, "\(device.name) has the merged list: \(try device.lines())")
            expect(device.sync.status.pending == 0, "\(device.name) has nothing to send")
        }
        show("both devices, online again", phone)
    }

    static func solve(_ phone: Device, _ laptop: Device) async throws {
        // The device that found the conflict kept what lost.
        let conflicts = try laptop.sync.keptVersions()
        expect(conflicts.count == 1 && conflicts[0].reason == .conflict, "one conflict to show")
        guard let theirs = conflicts[0].theirs, let mine = conflicts[0].mine else {
            return expect(false, "both sides of the conflict are kept")
        }
        let (lost, won) = (
            try KeptVersion.record(theirs, as: ToDo.self), try KeptVersion.record(mine, as: ToDo.self)
        )
        print("conflict on the laptop: “\(lost.title)” became “\(won.title)”; the user wants both")
        try laptop.change(try laptop.find(won.title)) { $0.title = "Buy oat milk and soy milk" }
        try laptop.sync.removeKeptVersion(conflicts[0].id)
        for device in [laptop, phone] { try await device.sync.synchronise() }
        expect(try phone.lines().contains("[ ] Buy oat milk and soy milk"), "the phone has the solution")
        expect(try laptop.sync.keptVersions().isEmpty && phone.sync.keptVersions().isEmpty, "no conflict is left")
        show("both devices, after the user's decision", phone)
    }

    static func signOut(_ phone: Device, _ laptop: Device) async throws {
        await phone.sync.stop()
        try phone.store.removeUser("ada")
        expect(phone.store.userIDs.isEmpty, "nothing of the user is left on the phone")
        expect(try laptop.todos.count() == 3, "the laptop keeps the list")
        for device in [phone, laptop] { try await device.store.close() }
        print("the phone is signed out; the laptop keeps its list")
    }

    static func show(_ what: String, _ device: Device) {
        do {
            print("\(what):")
            for line in try device.lines() { print("  \(line)") }
        } catch {
            expect(false, "the list can be read: \(error)")
        }
    }
}
