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
}
