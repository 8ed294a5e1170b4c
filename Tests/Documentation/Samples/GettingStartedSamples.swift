import Shale
import Testing

extension Keys {
    static let brightness = Key<Double>("brightness", default: 0.8)
    static let title = Key<String?>("title")
}

@Suite struct GettingStartedSamples {
    struct Order: Codable {
        var item: String
        var count: Int
    }

    @Test func theArticleDoesWhatItSays() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        let orders = store.common["orders"]
        let drafts = store.user("ada")["drafts"].child("2026")

        try orders.set(Order(item: "tea", count: 2), forKey: "2026-0001")
        try orders.set(1, forKey: "count")
        try drafts.set("Dear Ben", forKey: "letter", options: [.purgeable, .expires(after: .seconds(7 * 86_400))])

        let order = try orders.value(forKey: "2026-0001", as: Order.self)
        let count = try orders.int(forKey: "count", default: 0)
        let letter = try drafts.string(forKey: "letter")
        try orders.remove("count")
        #expect(order?.count == 2 && count == 1 && letter == "Dear Ben")

        try readAgain(orders, drafts)
        try orders.set(Order(item: "coffee", count: 1), forKey: "2026-0004", as: .compact)
        #expect(try orders.value(forKey: "2026-0004", as: Order.self)?.item == "coffee")
        try orders.remove("2026-0004")

        let settings = store.common["settings"]
        try settings.set(0.5, for: .brightness)
        let brightness = try settings.value(for: .brightness)  // Double
        settings[.title] = "Tea & Co"
        let title = settings[.title]  // String?
        #expect(brightness == 0.5 && title == "Tea & Co" && store.health.isGood)

        try await walk(orders)
        try composeKeys(store.common["stock"])

        try writeTogether(store, orders, drafts)

        do {
            try orders.set(Order(item: "tea", count: 3), forKey: "2026-0003")
        } catch {
            switch error.code {
            case .noSpace: print("Nothing was written. A purge gives space back.")
            case .poisoned, .indeterminate: print("Close the store and open it again.")
            default: print(error)  // with file and offset, if bytes are to blame
            }
        }

        try close(store)
    }

    private func writeTogether(_ store: Store, _ orders: Store.Namespace, _ drafts: Store.Namespace) throws {
        try store.write(durability: .synced) { batch in
            try batch.set(Order(item: "salt", count: 1), forKey: "2026-0002", in: orders)
            try batch.remove("letter", in: drafts)
        }
    }

    private func close(_ store: Store) throws {
        try store.close()
    }

    private func walk(_ orders: Store.Namespace) async throws {
        for try await entry in orders.entries(prefix: "2026-") {
            print(entry.key, try entry.value(as: Order.self).item)
        }
        let last = try orders.keys(in: "2026-"..<"2027-").reversed().first()
        let large = try orders.entries.filter { try $0.value(as: Order.self).count > 1 }
        #expect(last?.string == "2026-0001" && large.count == 1)

        let cursor = orders.keys.cursor()
        while let key = try cursor.next() { print(key) }

        let page = try orders.keys(prefix: "2026-").after("2026-0001").array(limit: 20)
        #expect(page.isEmpty)
    }

    private func composeKeys(_ stock: Store.Namespace) throws {
        try stock.set(12, forKey: CompositeKey("Lund", 7, "tea"))
        try stock.set(3, forKey: CompositeKey("Lund", 10, "salt"))
        let seventh = try stock.keys(prefix: CompositeKey("Lund", 7)).map {
            try CompositeKey($0).element(2, as: String.self)
        }
        #expect(seventh == ["tea"])
    }

    private func readAgain(_ orders: Store.Namespace, _ drafts: Store.Namespace) throws {
        let both = try orders.values(forKeys: ["2026-0001", "2026-0002"], as: Order.self)  // [Order?]
        #expect(both.map { $0?.item } == ["tea", nil])

        if let info = try drafts.info(forKey: "letter") {
            try drafts.set("Dear Bea", forKey: "letter", options: info.options)  // still expires when it did
        }
        #expect(try drafts.info(forKey: "letter")?.expiresAt != nil)
    }
}
