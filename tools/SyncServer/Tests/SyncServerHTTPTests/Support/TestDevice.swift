import Foundation
import ShaleSync

/// A record of the tests.
struct ToDo: Codable, Sendable, Hashable {
    var id: Int
    var title: String
    var isDone = false

    static let schema = RecordSchema<ToDo>(
        "todos", key: \.id, fields: [RecordField("id", \.id), RecordField("title", \.title, .notNull)])
}

/// A device with a store in memory.
struct TestDevice {
    let store: Store
    let client: SyncClient
    let todos: RecordCollection<ToDo>

    init(_ transport: any SyncTransport, rule: ConflictRule<ToDo> = .lastWriter) throws {
        store = try Store.inMemory()
        client = try SyncClient(store.user("u"), transport: transport)
        todos = try client.collection(ToDo.schema, onConflict: rule)
    }

    /// Lets two milliseconds of the wall clock pass. Stamps count in milliseconds, and devices that change a record in
    /// the same one are put in order by their ids, which are drawn.
    static func awaitLaterStamp() {
        let start = Date().timeIntervalSince1970
        while abs(Date().timeIntervalSince1970 - start) < 0.002 {}
    }

    func all() throws -> [ToDo] { try todos.query().records() }
}
