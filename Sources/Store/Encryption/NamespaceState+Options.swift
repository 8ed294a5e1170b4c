import ShaleBase

extension NamespaceState {
    /// Replaces the options; creates the namespace if it does not exist.
    ///
    /// The options that apply to writes are authenticated with the data keys, so a change of them seals the keys again.
    /// A namespace that encrypts by default gets its first key at once, so that a key authenticates that option.
    func setOptions(_ options: CatalogueOptions) throws(StorageError) {
        if options.tracksUse { try core.prepareUses() }
        var hadOtherBoundOptions = false
        var isDone = false
        while !isDone {
            try writing { (id) throws(StorageError) in
                let known = try catalogueOptions(id)
                hadOtherBoundOptions = !known.dataKeys.isEmpty && known.boundOptions != options.boundOptions
                isDone = try replaceOptions(known, with: options, of: id)
            }
        }
        // Older edits of the manifest hold the keys as sealed for the previous options.
        if hadOtherBoundOptions { try core.engine.rewriteManifest() }
    }

    /// Returns false, with nothing changed, if the options are no longer `known`.
    private func replaceOptions(
        _ known: CatalogueOptions, with new: CatalogueOptions, of id: NamespaceID
    ) throws(StorageError) -> Bool {
        var options = new
        options.dataKeys = known.dataKeys
        if let since = known.policy?.since { options.policy?.since = since }
        let sealed = try resealKeys(&options, known, id)
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

    /// Puts the data keys into `options`, sealed for the new options. Returns `nil` if they need no new sealing.
    private func resealKeys(
        _ options: inout CatalogueOptions, _ known: CatalogueOptions, _ id: NamespaceID
    ) throws(StorageError) -> (master: MasterKey, keys: NamespaceKeys)? {
        if known.dataKeys.isEmpty {
            // A store opened without encryption can't make a key; the first encrypted write makes it.
            guard options.defaults.isEncrypted, let ring = core.keyRing else { return nil }
            let slot = KeySlot(cipher: options.cipher ?? ring.encryption.cipher.id, isChosen: false)
            let master = try core.masterKey(ring)
            let none = LoadedKeys(
                master: master, options: options, binding: try binding(of: options, id),
                keys: NamespaceKeys(keys: [], isBound: true))
            let change = try KeyAddition([slot], to: none, ring)
            options = change.options
            return (master, change.keys)
        }
        guard known.boundOptions != options.boundOptions else { return nil }
        let ring = try core.requireKeyRing()
        let loaded = try loadKeys(id, ring)
        options.dataKeys = try known.dataKeys.resealed(
            from: try binding(of: known, id), with: loaded.master,
            to: try binding(of: options, id), with: loaded.master)
        return (loaded.master, NamespaceKeys(keys: loaded.keys.keys, isBound: true))
    }
}
