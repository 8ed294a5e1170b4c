import ShaleBase
import ShalePlatform

/// The keys of an open store: its master key and the data keys of the namespaces that were used. Thread-safe. Providers and
/// ciphers are never called under its lock.
final class KeyRing: Sendable {
    private struct Contents {
        var master: MasterKey?
        var namespaces: [NamespaceID: NamespaceKeys] = [:]
    }

    let encryption: StoreEncryption
    private let ciphers: [CipherID: any ValueCipher]
    private let contents = Guarded(Contents())

    init(_ encryption: StoreEncryption) throws(StorageError) {
        self.encryption = encryption
        var ciphers: [CipherID: any ValueCipher] = [:]
        for cipher in [encryption.cipher] + encryption.otherCiphers {
            guard cipher.id.rawValue != 0, ciphers.updateValue(cipher, forKey: cipher.id) == nil else {
                throw .invalid("a cipher's id is 0 or given twice id=\(cipher.id.rawValue)")
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
        StorageError(.cipherMismatch, "the store was opened without the cipher that this needs cipher=\(id)")
    }

    // MARK: Master key

    var master: MasterKey? { contents.withLock { $0.master } }

    /// Keeps a master key; the first one stays.
    func keep(_ master: MasterKey) {
        contents.withLock { contents in
            if contents.master == nil { contents.master = master }
        }
    }

    /// Takes the place of the master key. Under the catalogue lock, in which the catalogue changed likewise.
    func replace(_ master: MasterKey) { contents.withLock { $0.master = master } }

    /// The key of a record, from the provider. Throws `.wrongKey`, `.cipherMismatch` and what the provider throws.
    func unlock(_ record: KeyRecord) throws(StorageError) -> MasterKey {
        let cipher = try requireCipher(record.cipher)
        let sealer = try cipher.sealer(with: try encryption.keys.key(for: record.parameters))
        try record.verify(sealer)
        return MasterKey(record: record, sealer: sealer)
    }

    /// A key for a store that has none, with the record that the store has to keep.
    func makeMaster() throws(StorageError) -> MasterKey {
        let parameters = try encryption.keys.makeParameters()
        let sealer = try encryption.cipher.sealer(with: try encryption.keys.key(for: parameters))
        let record = try KeyRecord.fresh(cipher: encryption.cipher.id, parameters: parameters, sealer: sealer)
        return MasterKey(record: record, sealer: sealer)
    }

    /// Checks the key when a store is opened, before anything is written to it.
    func admit(_ namespaces: [NamespaceDescription]) throws(StorageError) {
        guard let found = namespaces.first(where: { $0.name == KeyRecord.namespaceName }) else {
            guard !namespaces.contains(where: KeyRing.holdsKeys) else {
                throw StorageError(
                    .authenticationFailed, "the store has data keys, and the record of its master key is missing")
            }
            return
        }
        keep(try unlock(try KeyRecord(bytes: found.options)))
    }

    private static func holdsKeys(_ namespace: NamespaceDescription) -> Bool {
        guard NamespaceName(bytes: namespace.name) != nil else { return false }
        do throws(StorageError) {
            return try !CatalogueOptions(bytes: namespace.options).dataKeys.isEmpty
        } catch {
            // Options that can't be decoded are the error of every access to their namespace.
            return false
        }
    }

    // MARK: Data keys

    func keys(of namespace: NamespaceID) -> NamespaceKeys? { contents.withLock { $0.namespaces[namespace] } }

    /// The key to write with, held; `nil` when the ring has none for the lane, or its keys have to be sealed anew
    /// first.
    func use(in namespace: NamespaceID, _ lane: KeyLane) -> KeyUse? {
        contents.withLock { contents in
            guard let keys = contents.namespaces[namespace], keys.isBound, let key = keys.active(lane) else {
                return nil
            }
            return KeyUse(key)
        }
    }

    /// Under the catalogue lock, in which the catalogue was seen to hold these. Older keys that the ring has stay in it
    /// until the store is closed, for scans and snapshots that still see what they encrypted.
    func keep(_ keys: NamespaceKeys, of namespace: NamespaceID) {
        contents.withLock { contents in
            let known = contents.namespaces[namespace]?.keys ?? []
            let retired = known.filter { old in
                keys.key(old.id) == nil && old.id < keys.keys.last?.id ?? 0
            }
            contents.namespaces[namespace] = NamespaceKeys(keys: retired + keys.keys, isBound: keys.isBound)
        }
    }

    /// Forgets the keys of dropped namespaces. Under the catalogue lock.
    func forget(_ namespaces: [NamespaceID]) {
        let forgotten = contents.withLock { contents in
            namespaces.compactMap { contents.namespaces.removeValue(forKey: $0) }
        }
        // The keys end here, outside the lock.
        _ = forgotten
    }

    /// The data keys of a namespace's options, unwrapped; those that the ring has already are taken from it.
    func unwrap(
        _ wrapped: [WrappedKey], at place: KeyPlace, with master: MasterKey
    ) throws(StorageError) -> NamespaceKeys {
        let known = self.keys(of: place.id)
        var keys: [DataKey] = []
        for key in wrapped {
            if let known = known?.key(key.id) {
                keys.append(known)
                continue
            }
            let secret = try key.unwrapped(at: place, with: master)
            let sealer = try cipher(key.cipher).map { (cipher) throws(StorageError) in try cipher.sealer(with: secret) }
            keys.append(DataKey(id: key.id, lane: key.lane, sealer: sealer))
        }
        return NamespaceKeys(keys: keys, isBound: wrapped.allSatisfy(\.isBound))
    }
}
