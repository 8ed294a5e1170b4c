import Shale
import Testing

extension Keys { static let theme = Key<String>("theme", default: "light") }

@Suite struct ConcurrencySamples {
    @Test func writesThatDependOnReads() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let accounts = store.common["accounts"]
        let settings = store.common["settings"]
        let sessions = store.common["sessions"]
        try store.transaction { transaction in
            let balance = try transaction.value(forKey: "ada", in: accounts, as: Int.self) ?? 0
            try transaction.set(balance - 20, forKey: "ada", in: accounts)
            let other = try transaction.value(forKey: "ben", in: accounts, as: Int.self) ?? 0
            try transaction.set(other + 20, forKey: "ben", in: accounts)
        }
        #expect(try accounts.int(forKey: "ben") == 20)

        let isMine = try settings.compareAndSet("worker 1", forKey: "leader", expecting: nil)
        #expect(isMine)

        try accounts.update(forKey: "ada", default: 0) { $0 += 5 }
        let visits = try settings.increment(forKey: "visits")
        try sessions.touch(.expires(after: .seconds(1800)), forKey: "token 1")
        #expect(try accounts.int(forKey: "ada") == -15)
        #expect(visits == 1)
        try readOneMoment(store, accounts)
        try store.close()
    }

    @Test func tasksWaitWithoutBlocking() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try await Store.open(at: directory)
        let orders = store.common["orders"]
        try await store.write(durability: .synced) { try $0.set("tea", forKey: "1", in: orders) }
        try await store.engine.compact()
        try await store.close()
        #expect(throws: StorageError.self) { try orders.string(forKey: "1") }
    }

    @Test func theArticleDoesWhatItSays() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        let accounts = store.common["accounts"]
        let settings = store.common["settings"]
        try accounts.set(-20, forKey: "ada")
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

        for try await entries in try accounts.values(in: "a"..."b", as: Int.self, limit: 100) {
            print(entries.map { "\($0.key): \($0.value)" })
            break
        }

        var options = Store.Options()
        options.engine.mode = .readOnly
        var reader = try Store(at: directory, options: options)  // as the store is now; no lock
        try accounts.set(7, forKey: "ada")
        reader = try await reader.refreshed()
        let balance = try reader.common["accounts"].int(forKey: "ada")  // 7
        #expect(balance == 7)
        try await reader.close()
        try await store.close()
    }

    @Test func anotherProcessFollowsChanges() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let directory = place.path + "/store"
        let store = try Store(at: directory)
        let accounts = store.common["accounts"]
        try accounts.set(1, forKey: "ada")
        var options = Store.Options()
        options.engine.mode = .readOnly
        let reader = try Store(at: directory, options: options)
        struct Finished: Error {}
        let processed: UInt64 = 0
        var keys: [EntryKey] = []
        func readAll(_ reader: Store) throws { Issue.record("no change is missing") }
        func process(_ change: Store.LoggedChange, _ namespace: Store.Namespace) throws {
            guard let key = change.key else { return }
            #expect(try namespace.int(forKey: key) == 1)
            keys.append(key)
        }
        func save(_ sequence: UInt64) throws { if !keys.isEmpty { throw Finished() } }
        do {
            for try await batch in try reader.changeLog(after: processed) {
                let reader = try await reader.refreshed()
                if batch.isGap { try readAll(reader) }
                for change in batch.changes { try process(change, change.namespace(in: reader)) }
                try save(batch.sequences.upperBound)
            }
            Issue.record("the changes ended")
        } catch is Finished {
            #expect(keys == ["ada"])
        }
        try await reader.close()
        try await store.close()
    }

    private func readOneMoment(_ store: Store, _ accounts: Store.Namespace) throws {
        let waiting = store.common["waiting"]
        let taken = store.common["taken"]
        try waiting.set("print", forKey: "1")
        let oldest = try store.transaction { (transaction) throws(StorageError) -> EntryKey? in
            guard let job = try transaction[waiting].entries.first() else { return nil }
            try transaction.set(
                try job.value(as: String.self), forKey: job.key, in: taken, options: try job.info().options)
            try transaction.remove(job.key, in: waiting)
            return job.key
        }
        #expect(try oldest == "1" && taken.string(forKey: "1") == "print" && waiting.count() == 0)

        let snapshot = try store.snapshot()
        let total = try snapshot[accounts].entries.reduce(0) { try $0 + $1.value(as: Int.self) }
        let counted = try snapshot[accounts].count()
        #expect(total == 5 && counted == 2)
    }
}
