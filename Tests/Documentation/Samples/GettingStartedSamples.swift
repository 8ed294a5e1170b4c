import Shale
import Testing

extension Key where Value == Double { static var brightness: Key { Key("brightness", default: 0.8) } }
extension Key where Value == String? { static var title: Key { Key("title") } }

@Suite struct GettingStartedSamples {
    struct Order: Codable {
        var item: String
        var count: Int
    }

    @Test func theArticleDoesWhatItSays() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        let orders = store.common["orders"]
        let drafts = store.user("ada")["drafts"].child("2026")

        try orders.set(Order(item: "tea", count: 2), forKey: "2026-0001")
        try orders.set(1, forKey: "count")
        try drafts.set("Dear Ben", forKey: "letter", [.purgeable, .expires(after: .days(7))])

        let order = try orders.value(forKey: "2026-0001", as: Order.self)
        let count = try orders.int(forKey: "count", default: 0)
        let letter = try drafts.string(forKey: "letter")
        try orders.remove("count")
        #expect(order?.count == 2 && count == 1 && letter == "Dear Ben")

        let settings = store.common["settings"]
        try settings.set(0.5, for: .brightness)
        let brightness = try settings.value(for: .brightness)  // Double
        settings[.title] = "Tea & Co"
        let title = settings[.title]  // String?
        #expect(brightness == 0.5 && title == "Tea & Co" && store.health.isGood)

        for entry in orders.entries(prefix: "2026-") {
            let entry = try entry.get()
            print(entry.key, try entry.value(as: Order.self).item)
        }
        let last = try orders.keys(in: "2026-"..<"2027-").reversed().first()
        #expect(last?.string == "2026-0001")

        try store.write(durability: .synced) { (batch) throws(StorageError) in
            try batch.set(Order(item: "salt", count: 1), forKey: "2026-0002", in: orders)
            try batch.remove("letter", in: drafts)
        }

        do {
            try orders.set(Order(item: "tea", count: 3), forKey: "2026-0003")
        } catch {
            switch error.code {
            case .noSpace: print("Nothing was written. A purge gives space back.")
            case .poisoned, .indeterminate: print("Close the store and open it again.")
            default: print(error)  // with file and offset, if bytes are to blame
            }
        }

        try store.close()
    }
}
