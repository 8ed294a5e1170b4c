import Shale
import Testing

@Suite struct ReadmeSamples {
    struct Order: Codable { var item: String, count: Int }

    func example(directory: String) throws -> Int {
        let store = try Store(at: directory)
        let orders = store.common["orders"]
        try orders.set(Order(item: "tea", count: 2), forKey: "2026-0001")
        try store.user("u1")["drafts"].set(
            "note", forKey: "d1", options: [.purgeable, .expires(after: .seconds(7 * 86_400))])
        try store.write(durability: .synced) { batch in
            try batch.set(Order(item: "salt", count: 1), forKey: "2026-0002", in: orders)
            try batch.set(2, forKey: "orders", in: store.common["counters"])
        }
        try orders.keys(prefix: "2026-").forEach { print($0) }
        let order = try orders.value(forKey: "2026-0001", as: Order.self)
        try store.close()
        return order?.count ?? 0
    }

    @Test func theExampleDoesWhatItShows() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        #expect(try example(directory: place.path + "/store") == 2)
    }
}
