package import ShaleBase

/// The keys of a namespace in the form in which they are stored: ``NamespaceKeyring``.
///
/// On disk, do not change: length of the record u16, ``KeyRecord``, then for each data key, in ascending order of their
/// ids: length u16, ``WrappedKey``.
package struct StoredNamespaceKeys: Equatable, Sendable {
    let record: KeyRecord
    /// Never empty.
    let keys: [WrappedKey]

    private init(record: KeyRecord, keys: [WrappedKey]) {
        self.record = record
        self.keys = keys
    }

    /// The ids of the data keys, in ascending order.
    package var ids: [UInt32] { keys.map(\.id) }

    /// The largest id.
    package var newest: UInt32 { keys[keys.count - 1].id }

    // MARK: Bytes

    package var bytes: [UInt8] {
        var buffer = ByteBuffer()
        let record = record.bytes
        buffer.append(UInt16(record.count))
        buffer.append(record)
        for key in keys {
            buffer.append(UInt16(key.byteCount))
            key.encode(into: &buffer)
        }
        return buffer.bytes.array()
    }

    /// Parses stored keys. Throws `.corruption` and `.newerFormat`.
    package init(_ bytes: [UInt8]) throws(StorageError) {
        let record: [UInt8]
        var keys: [WrappedKey] = []
        do throws(ParseFailure) {
            (record, keys) = try unsafe bytes.span.bytes.withUnsafeBytes {
                (buffer) throws(ParseFailure) -> ([UInt8], [WrappedKey]) in
                var reader = ByteReader(unsafe Bytes(buffer))
                let record = try reader.slice(Int(try reader.u16("a length")), "a key record").array()
                var keys: [WrappedKey] = []
                while !reader.isAtEnd {
                    var key = ByteReader(try reader.slice(Int(try reader.u16("a length")), "a data key"))
                    keys.append(try WrappedKey(&key, isBound: true))
                }
                return (record, keys)
            }
        } catch {
            throw .corruption("a namespace's keys are not valid: \(error.reason)")
        }
        let ids = keys.map(\.id)
        guard !ids.isEmpty, zip(ids, ids.dropFirst()).allSatisfy(<) else {
            throw .corruption("a namespace's data keys are missing or out of order")
        }
        self.init(record: try KeyRecord(bytes: record), keys: keys)
    }

    // MARK: Changes

    /// Returns new keys: a master key of the provider, and one data key. Throws the errors of the provider.
    package static func make(
        _ encryption: StoreEncryption, for binding: NamespaceKeyring.Binding
    ) throws(StorageError) -> StoredNamespaceKeys {
        let master = try KeyRing(encryption).makeMaster()
        return StoredNamespaceKeys(
            record: master.record, keys: [try StoredNamespaceKeys.dataKey(1, encryption, for: binding, with: master)])
    }

    private static func dataKey(
        _ id: UInt32, _ encryption: StoreEncryption, for binding: NamespaceKeyring.Binding, with master: MasterKey
    ) throws(StorageError) -> WrappedKey {
        try WrappedKey(
            try SecretKey(), id: id, slot: KeySlot(cipher: encryption.cipher.id, isChosen: false),
            at: binding.keyBinding, with: master)
    }

    /// Returns the keys with another data key, which new values use. Throws the errors of unlocking.
    package func adding(
        _ encryption: StoreEncryption, for binding: NamespaceKeyring.Binding
    ) throws(StorageError) -> StoredNamespaceKeys {
        guard newest < .max else { throw .invalid("a namespace has had too many data keys") }
        let master = try KeyRing(encryption).unlock(record)
        let key = try StoredNamespaceKeys.dataKey(newest + 1, encryption, for: binding, with: master)
        return StoredNamespaceKeys(record: record, keys: keys + [key])
    }

    /// Returns the keys without the data keys below `id`, which no value needs any more. The newest key stays.
    package func removing(below id: UInt32) -> StoredNamespaceKeys {
        StoredNamespaceKeys(record: record, keys: keys.filter { $0.id >= min(id, newest) })
    }

    /// Returns the same data keys under another master key, for `keys` of the same namespace. Throws the errors of
    /// unlocking and those of the new provider.
    package func resealed(
        _ encryption: StoreEncryption, to provider: any KeyProvider, for binding: NamespaceKeyring.Binding
    ) throws(StorageError) -> StoredNamespaceKeys {
        let old = try KeyRing(encryption).unlock(record)
        let parameters = try provider.makeParameters()
        let cipher = encryption.cipher
        let sealer = try cipher.sealer(with: try provider.key(for: parameters))
        let record = try KeyRecord(
            storeID: old.record.storeID, masterKey: old.record.masterKey + 1, cipher: cipher.id,
            parameters: parameters, sealer: sealer)
        let master = MasterKey(record: record, sealer: sealer)
        let binding = binding.keyBinding
        return StoredNamespaceKeys(
            record: record, keys: try keys.resealed(from: binding, with: old, to: binding, with: master))
    }
}
