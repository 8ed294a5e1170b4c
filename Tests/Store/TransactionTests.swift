import Shale
import TestSupport
import Testing

@Suite struct TransactionTests {
    @Test func aTransactionReadsWhatItWrote() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        try namespace.set(1, forKey: "a")
        let sum = try fixture.store.transaction { (transaction) throws(StorageError) in
            try transaction.set(5, forKey: "b", in: namespace)
            try transaction.remove("a", in: namespace)
            #expect(try !transaction.contains("a", in: namespace))
            #expect(try transaction.object(forKey: "b", in: namespace) == .int(5))
            return try transaction.value(forKey: "b", in: namespace, as: Int.self) ?? 0
        }
        #expect(sum == 5)
        #expect(try namespace.keys.array() == ["b"])
    }

    @Test func aConflictRunsItAgain() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        var runs = 0
        try fixture.store.transaction { (transaction) throws(StorageError) in
            runs += 1
            let value = try transaction.value(forKey: "k", in: namespace, as: Int.self) ?? 0
            if runs == 1 { try namespace.set(10, forKey: "k") }
            try transaction.set(value + 1, forKey: "k", in: namespace)
        }
        #expect(runs == 2)
        #expect(try namespace.int(forKey: "k") == 11)
    }

    @Test func aConflictThatStaysIsAnError() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        let found = code { () throws(StorageError) in
            try fixture.store.transaction(attempts: 3) { (transaction) throws(StorageError) in
                let seen = try transaction.keys(in: KeyRange.all, of: namespace).count
                try namespace.set(seen, forKey: "\(seen)")
                try transaction.set(0, forKey: "sum", in: namespace)
            }
        }
        #expect(found == .conflict)
        #expect(try namespace.keys.array() == ["0", "1", "2"])
    }

    @Test func compareAndSetNeedsTheExpectedValue() throws {
        let fixture = try StoreFixture()
        let namespace = fixture["n"]
        #expect(try namespace.compareAndSet(1, forKey: "k", expecting: nil))
        #expect(try !namespace.compareAndSet(2, forKey: "k", expecting: nil))
        #expect(try !namespace.compareAndSet(2, forKey: "k", expecting: 5))
        #expect(try namespace.compareAndSet(2, forKey: "k", expecting: 1, .purgeable))
        #expect(try namespace.compareAndSet(nil, forKey: "k", expecting: 2))
        #expect(try !namespace.contains("k"))
        try namespace.set("text", forKey: "k")
        #expect(
            code { () throws(StorageError) in try namespace.compareAndSet(1, forKey: "k", expecting: 0) }
                == .typeMismatch)
        #expect(try namespace.compareAndSet(["a"], forKey: "j", expecting: nil))
        #expect(try namespace.compareAndSet(["b"], forKey: "j", expecting: ["a"]))
    }
}
