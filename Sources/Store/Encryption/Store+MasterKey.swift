import ShaleBase

extension Store {
    /// True if the store has a master key: something was encrypted in it.
    ///
    /// Not API: for the `shale` command.
    @_spi(Command) public var hasMasterKey: Bool { core.engine.namespace(named: KeyRecord.namespaceName) != nil }

    /// Gives the store another master key in one durable step.
    ///
    /// Until the step only the old key opens the store, afterwards only the new one, even if the process is killed.
    /// Keep the new key before you call this. Later openings must supply the new key; ``Store/Options`` of this opening
    /// stay as they are.
    ///
    /// Only the namespaces' data keys are sealed again; values stay as they are. A party that had both the old key and
    /// the files may know the data keys: ``changeDataKeys(progress:)`` then replaces them.
    ///
    /// - Throws: With nothing changed: `.cipherMismatch` (opened without encryption), `.readOnly`,
    ///   `.authenticationFailed` (a data key is damaged), `.missingKey` and other errors of `keys`. Also `.noSpace`,
    ///   `.closed`, `.indeterminate`.
    /// - Complexity: O(namespaces with encrypted values).
    public func changeMasterKey(to keys: any KeyProvider) throws(StorageError) {
        let ring = try core.requireKeyRing()
        guard core.options.engine.mode != .readOnly else {
            throw StorageError(.readOnly, "the store was opened for reading only")
        }
        let parameters = try keys.makeParameters()
        let cipher = ring.encryption.cipher
        let sealer = try cipher.sealer(with: try keys.key(for: parameters))
        while true {
            let old = try core.masterKey(ring)
            let record = try KeyRecord(
                storeID: old.record.storeID, masterKey: old.record.masterKey + 1, cipher: cipher.id,
                parameters: parameters, sealer: sealer)
            if try core.replace(old, with: MasterKey(record: record, sealer: sealer), ring) { break }
        }
    }
}

extension StoreCore {
    /// Returns false, with nothing changed, if data keys were made or dropped meanwhile.
    fileprivate func replace(_ old: MasterKey, with new: MasterKey, _ ring: KeyRing) throws(StorageError) -> Bool {
        let before = try encryptedNamespaces()
        var fresh: [(id: NamespaceID, options: [UInt8])] = []
        for holder in before {
            var options = holder.options
            let binding = holder.binding
            options.dataKeys = try options.dataKeys.resealed(from: binding, with: old, to: binding, with: new)
            fresh.append((holder.id, options.bytes))
        }
        let isDone = try catalogueLock.withLock { () throws(StorageError) in
            guard let holder = engine.namespace(named: KeyRecord.namespaceName),
                holder.options == old.record.bytes, try encryptedNamespaces() == before
            else { return false }
            try engine.setOptions(fresh + [(holder.id, new.record.bytes)])
            ring.replace(new)
            return true
        }
        // Removes the old edits, which hold the data keys sealed under the old master key.
        if isDone { try engine.rewriteManifest() }
        return isDone
    }
}

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
