import Shale
import Testing

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

        var options = StoreOptions()
        options.engine.mode = .readOnly
        let reader = try Store(at: directory, options: options)  // as the store is now; no lock
        #expect(try reader.common["accounts"].int(forKey: "ada") == -20)
        try reader.close()
        try store.close()
    }
}
