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
        guard let found = namespaces.first(where: { $0.name == KeyRecord.namespaceName }) else { return }
        keep(try unlock(try KeyRecord(bytes: found.options)))
    }

    // MARK: Data keys

    func keys(of namespace: NamespaceID) -> NamespaceKeys? { contents.withLock { $0.namespaces[namespace] } }

    /// The key to write with, held; `nil` when the ring has none for the cipher.
    func use(in namespace: NamespaceID) -> KeyUse? {
        contents.withLock { contents in
            guard let key = contents.namespaces[namespace]?.active, key.cipher == encryption.cipher.id else {
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
                keys.key(old.id) == nil && old.id < keys.active?.id ?? 0
            }
            contents.namespaces[namespace] = NamespaceKeys(keys: retired + keys.keys)
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
        _ wrapped: [WrappedKey], of namespace: NamespaceID, with master: MasterKey
    ) throws(StorageError) -> NamespaceKeys {
        let known = self.keys(of: namespace)
        var keys: [DataKey] = []
        for key in wrapped {
            if let known = known?.key(key.id) {
                keys.append(known)
                continue
            }
            let secret = try key.unwrapped(of: namespace, with: master)
            let sealer = try cipher(key.cipher).map { (cipher) throws(StorageError) in try cipher.sealer(with: secret) }
            keys.append(DataKey(id: key.id, cipher: key.cipher, sealer: sealer))
        }
        return NamespaceKeys(keys: keys)
    }
}
