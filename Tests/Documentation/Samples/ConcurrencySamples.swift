import Shale
import Testing

extension Key where Value == String { static var theme: Key { Key("theme", default: "light") } }

@Suite struct ConcurrencySamples {
    @Test func theArticleDoesWhatItSays() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        let accounts = store.common["accounts"]
        let settings = store.common["settings"]
        try store.transaction { (transaction) throws(StorageError) in
            let balance = try transaction.value(forKey: "ada", in: accounts, as: Int.self) ?? 0
            try transaction.set(balance - 20, forKey: "ada", in: accounts)
            let other = try transaction.value(forKey: "ben", in: accounts, as: Int.self) ?? 0
            try transaction.set(other + 20, forKey: "ben", in: accounts)
        }
        #expect(try accounts.int(forKey: "ben") == 20)

        let isMine = try settings.compareAndSet("worker 1", forKey: "leader", expecting: nil)
        #expect(isMine)

        let events = store.userEvents
        try store.signIn("ada")
        let own = try store.current["settings"]  // Ada's, whoever signs in later
        try own.set(true, forKey: "dark")
        store.signOut()
        for await event in events {
            print(event)  // signedIn("ada"), signedOut("ada")
            if case .signedOut = event { break }
        }

        let changes = try settings.changes(prefix: "window/")
        try settings.set("left", forKey: "window/main")
        for await change in changes {
            switch change {
            case .set(let key, _, _): print("\(key) is new")
            case .removed(let key, _, _): print("\(key) is gone")
            default: print("read everything anew")  // purged, truncated, dropped, or a gap
            }
            break
        }

        for try await theme in try settings.values(for: .theme) {
            print("the theme is \(theme)")
            if theme == "light" { try settings.set("dark", for: .theme) } else { break }
        }
        #expect(try settings.value(for: .theme) == "dark")

        var options = StoreOptions()
        options.engine.mode = .readOnly
        let reader = try Store(at: directory, options: options)  // as the store is now; no lock
        #expect(try reader.common["accounts"].int(forKey: "ada") == -20)
        try reader.close()
        try store.close()
    }
}
