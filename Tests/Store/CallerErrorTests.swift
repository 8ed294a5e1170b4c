import Shale
import ShalePlatform
import TestSupport
import Testing

private struct Refusal: Error, Equatable { let reason: Int }

/// Errors of the application end a write, a transaction or maintenance, and reach the caller as they were thrown.
@Suite struct CallerErrorTests {
    @Test func aBatchThatThrowsWritesNothing() throws {
        let fixture = try StoreFixture()
        #expect(throws: Refusal(reason: 1)) {
            try fixture.store.write { batch in
                try batch.set(1, forKey: "a", in: fixture["n"])
                throw Refusal(reason: 1)
            }
        }
        #expect(try !fixture["n"].contains("a"))
    }

    @Test func aTransactionThatThrowsWritesNothing() throws {
        let fixture = try StoreFixture()
        #expect(throws: Refusal(reason: 2)) {
            try fixture.store.transaction { transaction in
                try transaction.set(1, forKey: "a", in: fixture["n"])
                throw Refusal(reason: 2)
            }
        }
        #expect(try !fixture["n"].contains("a"))
    }

    @Test func closuresWithoutAnnotationsWriteAndReturn() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try fixture.store.write { try $0.set(1, forKey: "a", in: namespace) }
        try fixture.store.transaction { try $0.set(2, forKey: "b", in: namespace) }
        let sum = try fixture.store.transaction { transaction in
            let a = try transaction.value(forKey: "a", in: namespace, as: Int.self) ?? 0
            let b = try transaction.value(forKey: "b", in: namespace, as: Int.self) ?? 0
            return a + b
        }
        #expect(sum == 3)
    }

    @Test func theStoresOwnErrorsKeepTheirType() throws {
        let fixture = try StoreFixture()
        try fixture.store.close()
        let errors = [
            code { () throws(StorageError) in
                try fixture.store.transaction { (transaction) throws(StorageError) in
                    try transaction.set(1, forKey: "a", in: fixture["n"])
                }
            },
            code { () throws(StorageError) in
                try fixture.store.write { (batch) throws(StorageError) in
                    try batch.set(1, forKey: "a", in: fixture["n"])
                }
            },
        ]
        #expect(errors == [.closed, .closed])
        #expect(throws: StorageError.self) { try fixture.store.transaction { _ in throw Refusal(reason: 3) } }
    }

    @Test func aConflictThatTheBodyThrowsIsNotRetried() throws {
        let fixture = try StoreFixture()
        var runs = 0
        let found = code { () throws(StorageError) in
            try fixture.store.transaction { (_) throws(StorageError) in
                runs += 1
                throw StorageError(.conflict, "of the caller")
            }
        }
        #expect(found == .conflict && runs == 1)
    }

    @Test func progressOfACompactionMayThrowAnything() throws {
        let fixture = try StoreFixture(isSmall: true)
        try fill(fixture)
        #expect(throws: Refusal(reason: 4)) {
            try fixture.store.engine.compact { _ in throw Refusal(reason: 4) }
        }
        #expect(throws: Refusal(reason: 5)) {
            try fixture.store.engine.verify { _ in throw Refusal(reason: 5) }
        }
        #expect(try fixture["n"].count() == 2000)
    }

    @Test func progressOfAPurgeMayThrowAnything() throws {
        let fixture = try StoreFixture(isSmall: true)
        try fill(fixture)
        var calls = 0
        #expect(throws: Refusal(reason: 6)) {
            try fixture.store.purge { _ in
                calls += 1
                throw Refusal(reason: 6)
            }
        }
        #expect(calls == 1)
    }

    /// A compaction tolerates a full disk. A caller's error with the same code still ends it.
    @Test func anErrorOfTheCallerIsNotTakenForAnErrorOfTheWork() throws {
        let fixture = try StoreFixture(isSmall: true)
        try fill(fixture)
        // Until the snapshot ends, no compaction in the background can leave nothing to reclaim.
        do {
            let snapshot = try fixture.store.snapshot()
            defer { withExtendedLifetime(snapshot) {} }
            try fixture["n"].removeAll(prefix: "1")
            try fixture.store.engine.flush()
        }
        let found = code { () throws(StorageError) in
            try fixture.store.engine.reclaim { (_) throws(StorageError) in
                throw StorageError(.noSpace, "of the caller")
            }
        }
        #expect(found == .noSpace)
    }

    private func fill(_ fixture: StoreFixture) throws {
        for index in 0..<2000 {
            try fixture["n"].set(String(repeating: "x", count: 100), forKey: "\(index)", options: .purgeable)
        }
        try fixture.store.engine.flush()
    }
}
