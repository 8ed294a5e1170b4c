import ShaleBase

extension StoreCore {
    /// Returns the key ring. Throws `.cipherMismatch` if the store was opened without encryption.
    func requireKeyRing() throws(StorageError) -> KeyRing {
        guard let keyRing else {
            throw StorageError(
                .cipherMismatch, "a value is encrypted or must be, but the store was opened without encryption")
        }
        return keyRing
    }

    /// Returns the master key. Creates one for a store that has none; its record is durable when this returns.
    func masterKey(_ ring: KeyRing) throws(StorageError) -> MasterKey {
        while true {
            if let master = ring.master { return master }
            if let found = engine.namespace(named: KeyRecord.namespaceName) {
                ring.keep(try ring.unlock(try KeyRecord(bytes: found.options)))
                continue
            }
            let fresh = try ring.makeMaster()
            // Another thread may have created the record first; the record in the catalogue is the one that counts.
            try engine.createNamespace(named: KeyRecord.namespaceName, options: fresh.record.bytes)
            if engine.namespace(named: KeyRecord.namespaceName)?.options == fresh.record.bytes { ring.keep(fresh) }
        }
    }

    /// Checks that another opening of the same core has the same key. Before the first encrypted write the store has no
    /// key, and the key of the first opening will be used.
    func verify(_ encryption: StoreEncryption?) throws(StorageError) {
        guard let encryption, let found = engine.namespace(named: KeyRecord.namespaceName) else { return }
        _ = try KeyRing(encryption).unlock(try KeyRecord(bytes: found.options))
    }
}
