import ShaleBase

extension Store {
    /// Gives the store another master key, as one durable step: until it returns the old key opens the store, afterwards the
    /// new one does, and there is nothing between, whatever happens. Keep the new key before you call it.
    ///
    /// Only the namespaces' data keys are sealed anew, O(namespaces with encrypted values): values stay as they are. Whoever has
    /// had both the old key and the files may have the data keys: after that,
    /// ``Namespace/changeDataKey(progress:)`` replaces them. Later openings have to give the new key; `options` of this one stay.
    ///
    /// Errors: `.cipherMismatch` (opened without encryption), `.readOnly`, `.missingKey` and what else `keys` throws,
    /// `.authenticationFailed` (a data key is damaged): nothing was changed. `.noSpace`, `.closed`, `.indeterminate`.
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
    /// False, and nothing has changed, when data keys were made or dropped meanwhile.
    fileprivate func replace(_ old: MasterKey, with new: MasterKey, _ ring: KeyRing) throws(StorageError) -> Bool {
        let before = try keyHolders()
        var fresh: [(id: NamespaceID, options: [UInt8])] = []
        for holder in before {
            var options = holder.options
            let place = holder.place
            options.dataKeys = try options.dataKeys.resealed(from: place, with: old, to: place, with: new)
            fresh.append((holder.id, options.bytes))
        }
        let isDone = try catalogueLock.withLock { () throws(StorageError) in
            guard let holder = engine.namespace(named: KeyRecord.namespaceName),
                holder.options == old.record.bytes, try keyHolders() == before
            else { return false }
            try engine.setOptions(fresh + [(holder.id, new.record.bytes)])
            ring.replace(new)
            return true
        }
        // What an older manifest says of the old key is of no use to anybody any more.
        if isDone { try engine.rewriteManifest() }
        return isDone
    }
}
