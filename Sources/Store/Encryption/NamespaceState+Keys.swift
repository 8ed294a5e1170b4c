import ShaleBase

/// Moves data keys of a namespace between the catalogue and the key ring.
extension NamespaceState {
    /// Returns the data keys of the namespace; empty if it has none.
    func dataKeys(_ id: NamespaceID, _ ring: KeyRing) throws(StorageError) -> NamespaceKeys {
        if let known = ring.keys(of: id) { return known }
        return try loadKeys(id, ring).keys
    }

    /// Throws `.authenticationFailed` if the namespace's name or options differ from those that its data keys were
    /// sealed for. Must be called before any option is used.
    func verifyKeys(_ options: CatalogueOptions, of id: NamespaceID) throws(StorageError) {
        guard !options.dataKeys.isEmpty, let ring = core.keyRing else { return }
        _ = try dataKeys(id, ring)
    }

    /// Returns the key to write with, marked as in use. If the key does not exist, this creates it and makes it
    /// durable. `cipher` is the cipher that the call names.
    func keyForWriting(
        _ id: NamespaceID, _ ring: KeyRing, _ cipher: CipherID?
    ) throws(StorageError) -> KeyUse {
        let slot = KeySlot(cipher: cipher ?? self.cipher ?? ring.encryption.cipher.id, isChosen: cipher != nil)
        while true {
            if let use = ring.use(in: id, slot) { return use }
            let loaded = try loadKeys(id, ring)
            // Keys sealed by an earlier version are bound to name and options with the first write.
            let isNeeded = loaded.keys.active(slot) == nil
            if isNeeded || !loaded.keys.isBound { try addKeys(isNeeded ? [slot] : [], to: loaded, ring) }
        }
    }

    /// The keys in the catalogue at one moment.
    struct LoadedKeys {
        let master: MasterKey
        let options: CatalogueOptions
        let binding: KeyBinding
        let keys: NamespaceKeys
    }

    /// Reads the keys from the catalogue into the ring.
    func loadKeys(_ id: NamespaceID, _ ring: KeyRing) throws(StorageError) -> LoadedKeys {
        while true {
            let master = try core.masterKey(ring)
            let options = try catalogueOptions(id)
            let binding = try binding(of: options, id)
            let keys: NamespaceKeys
            do throws(StorageError) {
                keys = try ring.unwrap(options.dataKeys, at: binding, with: master)
            } catch {
                // The master key or the options may have changed between reading the two.
                let now = try catalogueOptions(id)
                guard ring.master?.record != master.record || now != options else { throw error }
                continue
            }
            let isCurrent = try core.catalogueLock.withLock { () throws(StorageError) in
                guard try catalogueOptions(id) == options, ring.master?.record == master.record else { return false }
                if !options.dataKeys.isEmpty { ring.keep(keys, of: id) }
                return true
            }
            if isCurrent { return LoadedKeys(master: master, options: options, binding: binding, keys: keys) }
        }
    }

    /// Makes a data key for each of `slots`, which new writes use from now on, and seals keys of an earlier version
    /// again. All changes are one edit. Does nothing if the catalogue no longer holds `loaded`.
    func addKeys(_ slots: [KeySlot], to loaded: LoadedKeys, _ ring: KeyRing) throws(StorageError) {
        let change = try KeyAddition(slots, to: loaded, ring)
        try core.catalogueLock.withLock { () throws(StorageError) in
            guard try catalogueOptions(loaded.binding.id) == loaded.options, ring.master?.record == loaded.master.record
            else { return }
            try core.engine.setOptions(change.options.bytes, of: loaded.binding.id)
            ring.keep(change.keys, of: loaded.binding.id)
        }
    }

    func binding(of options: CatalogueOptions, _ id: NamespaceID) throws(StorageError) -> KeyBinding {
        options.binding(id, try name.checkedBytes())
    }

    /// Returns the options of the namespace. Throws `.namespaceDropped` unless it still has this id.
    func catalogueOptions(_ id: NamespaceID) throws(StorageError) -> CatalogueOptions {
        guard let found = try description(), found.id == id else {
            throw StorageError(.namespaceDropped, "the namespace was dropped")
        }
        return try CatalogueOptions(bytes: found.options)
    }
}

/// The options and keys of a namespace after data keys have been added.
struct KeyAddition {
    private(set) var options: CatalogueOptions
    let keys: NamespaceKeys

    init(_ slots: [KeySlot], to loaded: NamespaceState.LoadedKeys, _ ring: KeyRing) throws(StorageError) {
        let (master, binding) = (loaded.master, loaded.binding)
        options = loaded.options
        if !loaded.keys.isBound {
            options.dataKeys = try options.dataKeys.resealed(from: binding, with: master, to: binding, with: master)
        }
        var added: [DataKey] = []
        for slot in slots {
            let cipher = try ring.requireCipher(slot.cipher)
            let secret = try SecretKey()
            let number = (options.dataKeys.last?.id ?? 0) + 1
            options.dataKeys.append(try WrappedKey(secret, id: number, slot: slot, at: binding, with: master))
            added.append(DataKey(id: number, slot: slot, sealer: try cipher.sealer(with: secret)))
        }
        keys = NamespaceKeys(keys: loaded.keys.keys + added, isBound: true)
    }
}
