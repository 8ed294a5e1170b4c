import ShaleBase

extension StoreCore {
    /// The ring, or why nothing can be encrypted or decrypted.
    func requireKeyRing() throws(StorageError) -> KeyRing {
        guard let keyRing else {
            throw StorageError(
                .cipherMismatch, "a value is or should be encrypted: the store was opened without encryption")
        }
        return keyRing
    }

    /// The master key. A store that has none gets one, which is durable with its record when this returns.
    func masterKey(_ ring: KeyRing) throws(StorageError) -> MasterKey {
        while true {
            if let master = ring.master { return master }
            if let found = engine.namespace(named: KeyRecord.namespaceName) {
                ring.keep(try ring.unlock(try KeyRecord(bytes: found.options)))
                continue
            }
            let fresh = try ring.makeMaster()
            // Perhaps somebody was faster: then it is his that counts.
            try engine.createNamespace(named: KeyRecord.namespaceName, options: fresh.record.bytes)
            if engine.namespace(named: KeyRecord.namespaceName)?.options == fresh.record.bytes { ring.keep(fresh) }
        }
    }

    /// Checks that another opening of the same core has the same key. Before the first encrypted write there is none yet:
    /// then the first opening's counts.
    func verify(_ encryption: StoreEncryption?) throws(StorageError) {
        guard let encryption, let found = engine.namespace(named: KeyRecord.namespaceName) else { return }
        _ = try KeyRing(encryption).unlock(try KeyRecord(bytes: found.options))
    }
}
