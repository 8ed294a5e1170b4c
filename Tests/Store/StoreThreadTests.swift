import Shale
import ShalePlatform
import Testing

@Suite struct StoreThreadTests {
    /// Runs `body` on several threads at once and returns the errors as text.
    private func together(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws -> [String] {
        let failures = Locked<[String]>([])
        let threads = try (0..<count).map { index in
            try WorkerThread.start(name: "test") {
                do { try body(index) } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        for thread in threads { thread.join() }
        return failures.withLock { $0 }
    }

    @Test func transactionsLoseNoUpdate() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let namespace = fixture["n"]
        let failures = try together(4) { _ in
            for _ in 0..<100 {
                try store.transaction(attempts: .max) { (transaction) throws(StorageError) in
                    let value = try transaction.value(forKey: "k", in: namespace, as: Int.self) ?? 0
                    try transaction.set(value + 1, forKey: "k", in: namespace)
                }
            }
        }
        #expect(failures.isEmpty)
        #expect(try namespace.int(forKey: "k") == 400)
    }

    @Test func handlesFollowANamespaceThatIsDroppedAgainAndAgain() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let failures = try together(4) { index in
            for round in 0..<200 {
                if index == 0 {
                    try namespace.drop()
                } else {
                    try namespace.set(round, forKey: "\(index)")
                    if let found = try namespace.int(forKey: "\(index)"), found != round {
                        throw StorageError(.corruption, "found \(found), not \(round)")
                    }
                }
            }
        }
        #expect(failures == [])
    }

    @Test func optionsAreNotMixedUpWhileNamespacesComeAndGo() throws {
        let fixture = try StoreFixture()
        let store = fixture.store
        let failures = try together(3) { index in
            for round in 0..<100 {
                let namespace = store.common["\(round)"]
                if index == 0 {
                    try namespace.setOptions(NamespaceOptions(isPurgeable: true))
                    try namespace.set(round, forKey: "k")
                    guard try namespace.info(forKey: "k")?.isPurgeable == true else {
                        throw StorageError(.corruption, "options of round \(round) were not used")
                    }
                } else {
                    try namespace.set(round, forKey: "other \(index)")
                }
            }
        }
        #expect(failures == [])
    }

    @Test func openingAndClosingAtOnceIsSafe() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let (path, options) = (fixture.path, fixture.options)
        let failures = try together(4) { index in
            for round in 0..<25 {
                let store = try Store(at: path, options: options)
                try store.common["n"].set(round, forKey: "\(index)")
                if round % 2 == 0 { try store.close() }
            }
        }
        #expect(failures == [])
        try fixture.reopen()
        #expect(try fixture["n"].count() == 4)
    }
}
