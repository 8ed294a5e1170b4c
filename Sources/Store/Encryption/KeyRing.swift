import ShaleBase
import ShaleEngine
import ShalePlatform

/// The keys of an open store: its master key, and the data keys of the namespaces used so far. Thread-safe. It never
/// calls providers or ciphers under its lock.
final class KeyRing: Sendable {
    private struct Contents {
        var master: MasterKey?
        /// The master key of the newest catalogue that was checked. A reader beside an owner keeps the first as its
        /// own, because the data keys of its state are sealed with that one.
        var newest: MasterKey?
        var namespaces: [NamespaceID: NamespaceKeys] = [:]
    }

    let encryption: StoreEncryption
    private let ciphers: [CipherID: any ValueCipher]
    private let contents = Locked(Contents())

    init(_ encryption: StoreEncryption) throws(StorageError) {
        self.encryption = encryption
        var ciphers: [CipherID: any ValueCipher] = [:]
        for cipher in [encryption.cipher] + encryption.otherCiphers {
            guard cipher.id.rawValue != 0, ciphers.updateValue(cipher, forKey: cipher.id) == nil else {
                throw .invalid("a cipher's id is 0 or used twice id=\(cipher.id.rawValue)")
            }
        }
        self.ciphers = ciphers
    }

    // MARK: Ciphers

    func cipher(_ id: CipherID) -> (any ValueCipher)? { ciphers[id] }

    func requireCipher(_ id: CipherID) throws(StorageError) -> any ValueCipher {
        guard let cipher = ciphers[id] else { throw KeyRing.missingCipher(id) }
        return cipher
    }

    static func missingCipher(_ id: CipherID) -> StorageError {
        StorageError(.cipherMismatch, "the store was opened without a cipher that its data needs cipher=\(id)")
    }

    // MARK: Master key

    var master: MasterKey? { contents.withLock { $0.master } }

    /// Sets the master key, unless one is set already.
    func keep(_ master: MasterKey) {
        contents.withLock { contents in
            if contents.master == nil { contents.master = master }
        }
    }

    /// Replaces the master key. Requires the catalogue lock, under which the caller has changed the catalogue
    /// accordingly.
    func replace(_ master: MasterKey) { contents.withLock { $0.master = master } }

    /// Obtains the key of a record from the provider. Throws `.wrongKey`, `.cipherMismatch` and the errors of the
    /// provider.
    func unlock(_ record: KeyRecord) throws(StorageError) -> MasterKey {
        let cipher = try requireCipher(record.cipher)
        let sealer = try cipher.sealer(with: try encryption.keys.key(for: record.parameters))
        try record.verify(sealer)
        return MasterKey(record: record, sealer: sealer)
    }

    /// Makes a master key for a store that has none. The caller has to store its record.
    func makeMaster() throws(StorageError) -> MasterKey {
        let parameters = try encryption.keys.makeParameters()
        let sealer = try encryption.cipher.sealer(with: try encryption.keys.key(for: parameters))
        let record = try KeyRecord.fresh(cipher: encryption.cipher.id, parameters: parameters, sealer: sealer)
        return MasterKey(record: record, sealer: sealer)
    }

    /// Checks the master key when a store is opened, before anything is written to the store.
    func admit(_ namespaces: [NamespaceDescription]) throws(StorageError) {
        guard let found = namespaces.first(where: { $0.name == KeyRecord.namespaceName }) else {
            guard !namespaces.contains(where: KeyRing.holdsKeys) else {
                throw StorageError(
                    .authenticationFailed, "the store has data keys, but the record of its master key is missing")
            }
            return
        }
        let record = try KeyRecord(bytes: found.options)
        // Deriving a key may take long, and a reader beside an owner checks every new catalogue.
        if contents.withLock({ $0.newest?.record == record }) { return }
        let master = try unlock(record)
        keep(master)
        contents.withLock { $0.newest = master }
    }

    /// Returns a ring for a newer state of the same store, with the master key that was checked last.
    func successor() throws(StorageError) -> KeyRing {
        let ring = try KeyRing(encryption)
        if let newest = contents.withLock({ $0.newest }) { ring.keep(newest) }
        return ring
    }

    private static func holdsKeys(_ namespace: NamespaceDescription) -> Bool {
        guard NamespaceName(bytes: namespace.name) != nil else { return false }
        do throws(StorageError) {
            return try !CatalogueOptions(bytes: namespace.options).dataKeys.isEmpty
        } catch {
            // Every access to their namespace reports options that can't be decoded.
            return false
        }
    }

    // MARK: Data keys

    func keys(of namespace: NamespaceID) -> NamespaceKeys? { contents.withLock { $0.namespaces[namespace] } }

    /// Returns the key to write with, marked as in use; `nil` if the ring has none for the slot or its keys must be
    /// sealed again first.
    func use(in namespace: NamespaceID, _ slot: KeySlot) -> KeyUse? {
        contents.withLock { contents in
            guard let keys = contents.namespaces[namespace], keys.isBound, let key = keys.active(slot) else {
                return nil
            }
            return KeyUse(key)
        }
    }

    /// Sets a namespace's keys. Requires the catalogue lock, under which the caller has read them from the catalogue.
    /// Older keys stay in the ring until the store is closed: scans and snapshots may still see values under them.
    func keep(_ keys: NamespaceKeys, of namespace: NamespaceID) {
        contents.withLock { contents in
            let known = contents.namespaces[namespace]?.keys ?? []
            let retired = known.filter { old in
                keys.key(old.id) == nil && old.id < keys.keys.last?.id ?? 0
            }
            contents.namespaces[namespace] = NamespaceKeys(keys: retired + keys.keys, isBound: keys.isBound)
        }
    }

    /// Removes the keys of dropped namespaces. Requires the catalogue lock.
    func forget(_ namespaces: [NamespaceID]) {
        let forgotten = contents.withLock { contents in
            namespaces.compactMap { contents.namespaces.removeValue(forKey: $0) }
        }
        // The keys are released here, outside the lock.
        _ = forgotten
    }

    /// Unwraps the data keys of a namespace's options. Keys that the ring already has are taken from it.
    func unwrap(
        _ wrapped: [WrappedKey], at binding: KeyBinding, with master: MasterKey
    ) throws(StorageError) -> NamespaceKeys {
        let known = self.keys(of: binding.id)
        var keys: [DataKey] = []
        for key in wrapped {
            if let known = known?.key(key.id) {
                keys.append(known)
                continue
            }
            let secret = try key.unwrapped(at: binding, with: master)
            let sealer = try cipher(key.cipher).map { (cipher) throws(StorageError) in try cipher.sealer(with: secret) }
            keys.append(DataKey(id: key.id, slot: key.slot, sealer: sealer))
        }
        return NamespaceKeys(keys: keys, isBound: wrapped.allSatisfy(\.isBound))
    }
}
