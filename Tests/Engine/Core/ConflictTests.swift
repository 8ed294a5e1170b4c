import ShaleBase
import ShaleEngine
import Testing

/// If another writer changed what a transaction has read, the commit is a conflict, wherever the change is stored by
/// then.
@Suite struct ConflictTests {
    /// The delete hides nothing, so that only the transaction needs it.
    @Test(arguments: [false, true])
    func theDeleteOfAMissingKeyIsAConflictAfterAFlush(_ compacts: Bool) throws {
        let store = try TestStore()
        let namespace = try store.engine.createNamespace(named: [1])
        let key = Array("key".utf8)
        #expect {
            try store.engine.transaction(attempts: 1) { (transaction) throws(StorageError) in
                _ = try transaction.value(forKey: key, in: namespace)
                try store.engine.delete(key, in: namespace)
                try store.engine.flush()
                if compacts { try store.engine.compact() }
                try transaction.put([1], forKey: [2], in: namespace)
            }
        } throws: {
            ($0 as? StorageError)?.code == .conflict
        }
    }

    @Test(arguments: ["a", "b", "c", "cc"], [false, true])
    func aRangeThatCountsAsReadConflictsWithAnyChangeInIt(_ changed: String, _ flushes: Bool) throws {
        let store = try TestStore()
        let namespace = try store.namespace("n")
        for key in ["a", "c"] { try store.put(key, "1", in: namespace) }
        var runs = 0
        try store.engine.transaction { (transaction) throws(StorageError) in
            runs += 1
            let range = KeyRange(lower: .excluded(Array("a".utf8)), upper: .included(Array("c".utf8)))
            try transaction.noteRead(of: range, in: namespace)
            try transaction.put([1], forKey: Array("x".utf8), in: namespace)
            guard runs == 1 else { return }
            let key = Array(changed.utf8)
            try unsafe store.engine.put(key.span.bytes, forKey: key.span.bytes, in: namespace)
            if flushes { try store.engine.flush() }
        }
        #expect(runs == (["b", "c"].contains(changed) ? 2 : 1))
    }

    @Test func aRangeDoesNotConflictWithWritesOfOtherNamespaces() throws {
        let store = try TestStore()
        let (read, other) = (try store.namespace("read"), try store.namespace("other"))
        try store.put("a", "1", in: read)
        var runs = 0
        try store.engine.transaction { (transaction) throws(StorageError) in
            runs += 1
            try transaction.noteRead(of: .all, in: read)
            try transaction.put([1], forKey: [1], in: other)
            try unsafe store.engine.put([1].span.bytes, forKey: [UInt8(2)].span.bytes, in: other)
        }
        #expect(runs == 1)
    }
}
