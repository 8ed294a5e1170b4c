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

extension NamespaceState {
    /// The data keys of the namespace; none when it has none.
    func dataKeys(_ id: NamespaceID, _ ring: KeyRing) throws(StorageError) -> NamespaceKeys {
        if let known = ring.keys(of: id) { return known }
        return try loadKeys(id, ring).keys
    }

    /// The key to write with, held until the write is over; made if need be, and then durable.
    func keyForWriting(_ id: NamespaceID, _ ring: KeyRing) throws(StorageError) -> KeyUse {
        while true {
            if let use = ring.use(in: id) { return use }
            let (master, wrapped, keys) = try loadKeys(id, ring)
            if keys.active?.cipher == ring.encryption.cipher.id { continue }
            try addKey(to: wrapped, keys, of: id, ring, master)
        }
    }

    /// Reads the keys from the catalogue into the ring.
    func loadKeys(
        _ id: NamespaceID, _ ring: KeyRing
    ) throws(StorageError) -> (master: MasterKey, wrapped: [WrappedKey], keys: NamespaceKeys) {
        while true {
            let master = try core.masterKey(ring)
            let wrapped = try wrappedKeys(id)
            let keys: NamespaceKeys
            do throws(StorageError) {
                keys = try ring.unwrap(wrapped, of: id, with: master)
            } catch {
                // The master key may have changed between the two looks.
                guard ring.master?.record != master.record else { throw error }
                continue
            }
            let isCurrent = try core.catalogueLock.withLock { () throws(StorageError) in
                guard try wrappedKeys(id) == wrapped, ring.master?.record == master.record else { return false }
                if !wrapped.isEmpty { ring.keep(keys, of: id) }
                return true
            }
            if isCurrent { return (master, wrapped, keys) }
        }
    }

    /// Makes a data key for the ring's cipher, which is written with from now on. Does nothing if the keys are not
    /// `wrapped` any more.
    func addKey(
        to wrapped: [WrappedKey], _ keys: NamespaceKeys, of id: NamespaceID, _ ring: KeyRing, _ master: MasterKey
    ) throws(StorageError) {
        let cipher = ring.encryption.cipher
        let secret = try SecretKey()
        let number = (wrapped.last?.id ?? 0) + 1
        let fresh = try WrappedKey(secret, id: number, cipher: cipher.id, of: id, with: master)
        let key = DataKey(id: number, cipher: cipher.id, sealer: try cipher.sealer(with: secret))
        try core.catalogueLock.withLock { () throws(StorageError) in
            var options = try catalogueOptions(id)
            guard options.dataKeys == wrapped, ring.master?.record == master.record else { return }
            options.dataKeys.append(fresh)
            try core.engine.setOptions(options.bytes, of: id)
            ring.keep(NamespaceKeys(keys: keys.keys + [key]), of: id)
        }
    }

    private func wrappedKeys(_ id: NamespaceID) throws(StorageError) -> [WrappedKey] {
        try catalogueOptions(id).dataKeys
    }

    /// The options of the namespace if it is still the one with this id.
    func catalogueOptions(_ id: NamespaceID) throws(StorageError) -> CatalogueOptions {
        guard let found = try description(), found.id == id else {
            throw StorageError(.namespaceDropped, "the namespace was dropped")
        }
        return try CatalogueOptions(bytes: found.options)
    }
}
