import ShaleBase

extension NamespaceState {
    /// Stores other options; the namespace is made if need be.
    ///
    /// What writes take from them is authenticated with the data keys, which are sealed anew when it changes. A
    /// namespace that encrypts by default gets its first key at once, so that there is one to authenticate it.
    func setOptions(_ options: CatalogueOptions) throws(StorageError) {
        if options.tracksUse { try core.prepareUses() }
        var hadOtherTerms = false
        var isDone = false
        while !isDone {
            try writing { (id) throws(StorageError) in
                let known = try catalogueOptions(id)
                hadOtherTerms = !known.dataKeys.isEmpty && known.terms != options.terms
                isDone = try replaceOptions(known, with: options, of: id)
            }
        }
        // Older edits hold the keys as they were sealed for the options before.
        if hadOtherTerms { try core.engine.rewriteManifest() }
    }

    /// False, and nothing has changed, when the options are not `known` any more.
    private func replaceOptions(
        _ known: CatalogueOptions, with new: CatalogueOptions, of id: NamespaceID
    ) throws(StorageError) -> Bool {
        var options = new
        options.dataKeys = known.dataKeys
        if let since = known.policy?.since { options.policy?.since = since }
        let sealed = try sealedAnew(&options, known, id)
        return try core.catalogueLock.withLock { () throws(StorageError) in
            guard try catalogueOptions(id) == known else { return false }
            if let sealed, core.keyRing?.master?.record != sealed.master.record { return false }
            try core.engine.setOptions(options.bytes, of: id)
            if let sealed { core.keyRing?.keep(sealed.keys, of: id) }
            core.oldestKnown.withLock { $0[id] = nil }
            adopt(options, of: id)
            return true
        }
    }

    /// Puts into `options` the data keys as the catalogue has to have them; `nil` when these are the ones that it has.
    private func sealedAnew(
        _ options: inout CatalogueOptions, _ known: CatalogueOptions, _ id: NamespaceID
    ) throws(StorageError) -> (master: MasterKey, keys: NamespaceKeys)? {
        if known.dataKeys.isEmpty {
            // A store that was opened without encryption can't make a key: the first encrypted write does.
            guard options.defaults.isEncrypted, let ring = core.keyRing else { return nil }
            let lane = KeyLane(cipher: options.cipher ?? ring.encryption.cipher.id, isChosen: false)
            let master = try core.masterKey(ring)
            let none = LoadedKeys(
                master: master, options: options, place: try place(of: options, id),
                keys: NamespaceKeys(keys: [], isBound: true))
            let change = try KeyAddition([lane], to: none, ring)
            options = change.options
            return (master, change.keys)
        }
        guard known.terms != options.terms else { return nil }
        let ring = try core.requireKeyRing()
        let loaded = try loadKeys(id, ring)
        options.dataKeys = try known.dataKeys.resealed(
            from: try place(of: known, id), with: loaded.master, to: try place(of: options, id), with: loaded.master)
        return (loaded.master, NamespaceKeys(keys: loaded.keys.keys, isBound: true))
    }
}
