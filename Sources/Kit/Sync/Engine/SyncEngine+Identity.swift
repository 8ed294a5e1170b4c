import Shale
package import ShaleBase

/// The client's record, and beginning again.
extension SyncEngine {
    package func clientRecord() throws(StorageError) -> ClientRecord {
        guard let record = try names.meta.value(forKey: SyncSpace.client, as: ClientRecord.self) else {
            throw .signedOut
        }
        return record
    }

    /// Returns the client's record for a transaction that writes. Every such transaction calls this.
    ///
    /// A user that was removed has no record, and none is made by a transaction. So nothing is written into the space
    /// of a user that was removed while a reply was under way (S-9): the removal is before the reading, which finds
    /// nothing, or after it, and then the commit conflicts.
    func requireClient(_ id: String, in transaction: borrowing Store.Transaction) throws(StorageError) -> ClientRecord {
        let record = try requireClient(in: transaction)
        guard record.id == id else { throw .signedOut }
        return record
    }

    /// Returns the client's record, whatever its id.
    func requireClient(in transaction: borrowing Store.Transaction) throws(StorageError) -> ClientRecord {
        let record = try transaction.value(forKey: SyncSpace.client, in: names.meta, as: ClientRecord.self)
        guard let record, !hasEnded else { throw .signedOut }
        return record
    }

    func setClient(_ record: ClientRecord, in transaction: borrowing Store.Transaction) throws(StorageError) {
        var record = record
        record.clock = clock.state
        try transaction.set(
            record, forKey: SyncSpace.client, in: names.meta, as: .json, options: SyncSpace.options)
    }

    // MARK: Collections

    func collectionRecord(_ name: String) throws(StorageError) -> CollectionRecord {
        try names.meta.value(forKey: SyncSpace.collection(name), as: CollectionRecord.self) ?? CollectionRecord()
    }

    func collectionRecord(
        _ name: String, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> CollectionRecord {
        try transaction.value(forKey: SyncSpace.collection(name), in: names.meta, as: CollectionRecord.self)
            ?? CollectionRecord()
    }

    func setCollection(
        _ record: CollectionRecord, _ name: String, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try transaction.set(
            record, forKey: SyncSpace.collection(name), in: names.meta, as: .json, options: SyncSpace.options)
    }

    // MARK: Beginning again

    /// Begins to resynchronise every collection, with revisions that mean nothing any more. Pending changes stay.
    ///
    /// - Parameter epoch: The epoch of the server; `nil` if the next page will tell.
    func restartAll(epoch: String?, of client: String) throws(StorageError) {
        try names.meta.transaction { (transaction) throws(StorageError) in
            var record = try requireClient(client, in: transaction)
            record.epoch = epoch
            try setClient(record, in: transaction)
            // The outcome of a batch in flight is unknown for good. Its changes are still pending (S-3).
            try removeFlight(in: transaction)
            for key in try transaction[names.meta].keys(prefix: SyncSpace.collection("")).array() {
                let name = String(decoding: key.bytes.dropFirst(SyncSpace.collection("").utf8.count), as: UTF8.self)
                var collection = try collectionRecord(name, in: transaction)
                collection.restart()
                collection.isNewEpoch = true
                try setCollection(collection, name, in: transaction)
            }
        }
        pullAgain()
    }

    /// Takes a new id, because the server has other batches of the present one: the store of this client was copied or
    /// put back. Pending changes stay.
    func renewIdentity(_ client: String) throws(StorageError) {
        let id = random.identifier()
        try names.meta.transaction { (transaction) throws(StorageError) in
            var record = try requireClient(client, in: transaction)
            record.id = id
            record.number = 0
            try setClient(record, in: transaction)
            try removeFlight(in: transaction)
        }
        pullAgain()
    }

    func removeFlight(in transaction: borrowing Store.Transaction) throws(StorageError) {
        try transaction.remove(SyncSpace.flight, in: names.meta)
        try transaction.remove(SyncSpace.request, in: names.meta)
    }

    /// Begins to resynchronise a collection: everything that the server has is pulled again.
    package func restart(_ name: String, of client: String) throws(StorageError) {
        try names.meta.transaction { (transaction) throws(StorageError) in
            _ = try requireClient(client, in: transaction)
            var record = try collectionRecord(name, in: transaction)
            record.restart()
            try setCollection(record, name, in: transaction)
        }
    }
}
