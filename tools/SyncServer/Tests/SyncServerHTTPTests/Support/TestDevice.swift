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

    func all() throws -> [ToDo] { try todos.query().records() }
}
