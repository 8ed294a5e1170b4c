package import ShaleBase
import ShaleEngine

/// The keys of a namespace in another place than a store's catalogue: the record of a master key, and the data keys
/// that it wraps. Thread-safe.
///
/// The keys are those of an encrypted namespace of a store, with a store of its own: the record has a random id of a
/// store, which is authenticated with each value, and the namespace has the id 1.
///
/// New values use the data key with the largest id. Others stay until no value needs them.
package struct NamespaceKeyring: Sendable {
    /// The properties of a namespace that are authenticated with its data keys.
    package struct Binding: Sendable {
        private let name: [UInt8]
        private let options: BoundOptions

        package init(name: [UInt8], isPurgeable: Bool, isEncrypted: Bool, lifetimeMilliseconds: Int64) {
            self.name = name
            options = BoundOptions(
                isPurgeable: isPurgeable, isEncrypted: isEncrypted, cipher: nil,
                lifetimeMilliseconds: lifetimeMilliseconds)
        }

        var keyBinding: KeyBinding { KeyBinding(id: NamespaceKeyring.namespace, name: name, boundOptions: options) }
    }

    fileprivate static let namespace = NamespaceID(rawValue: 1)

    private let store: [UInt8]
    private let sealers: [UInt32: any ValueSealer]
    /// The id of the data key of new values.
    package let newest: UInt32

    /// Unlocks stored keys. Throws `.wrongKey`, `.cipherMismatch`, `.authenticationFailed` (the namespace's name or
    /// options are not those that the keys were made for), `.corruption` and the errors of the provider.
    package init(
        stored: StoredNamespaceKeys, _ encryption: StoreEncryption, for binding: Binding
    ) throws(StorageError) {
        let ring = try KeyRing(encryption)
        let master = try ring.unlock(stored.record)
        var sealers: [UInt32: any ValueSealer] = [:]
        for key in stored.keys {
            let secret = try key.unwrapped(at: binding.keyBinding, with: master)
            sealers[key.id] = try ring.requireCipher(key.cipher).sealer(with: secret)
        }
        self.init(store: master.record.storeID, sealers: sealers, newest: stored.newest)
    }

    private init(store: [UInt8], sealers: [UInt32: any ValueSealer], newest: UInt32) {
        self.store = store
        self.sealers = sealers
        self.newest = newest
    }

    /// Returns a keyring that also opens the values of an earlier keyring of the namespace: a reader may still hold
    /// some of them.
    package func keeping(_ earlier: NamespaceKeyring?) -> NamespaceKeyring {
        guard let earlier else { return self }
        return NamespaceKeyring(
            store: store, sealers: sealers.merging(earlier.sealers) { own, _ in own }, newest: newest)
    }

    /// True if the keyring has the data key of an envelope, or the envelope is not encrypted. Throws `.corruption`.
    package func opens(_ envelope: [UInt8]) throws(StorageError) -> Bool {
        guard let key = try NamespaceKeyring.dataKey(of: envelope) else { return true }
        return sealers[key] != nil
    }

    /// Returns the id of the data key of an envelope; `nil` if it is not encrypted. Throws `.corruption`.
    package static func dataKey(of envelope: [UInt8]) throws(StorageError) -> UInt32? {
        try unsafe envelope.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) -> UInt32? in
            let value = unsafe Bytes(buffer)
            return Envelope.isPlain(value) ? nil : try SealedEnvelope(value).dataKey
        }
    }

    /// Returns an envelope with its payload encrypted, for an entry of a key.
    package func sealed(
        _ envelope: [UInt8], key: [UInt8], isPurgeable: Bool, expiresAtMilliseconds: Int64?
    ) throws(StorageError) -> [UInt8] {
        guard let sealer = sealers[newest] else { throw .corruption("a namespace has no data key id=\(newest)") }
        return try unsafe envelope.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            let plain = unsafe Bytes(buffer)
            let headerExtension = try NamespaceKeyring.headerExtension(of: plain)
            let context = unsafe SealContext.value(
                store: store, namespace: NamespaceKeyring.namespace, dataKey: newest, codec: plain[0], headerExtension,
                PutOptions(isPurgeable: isPurgeable, expiresAtMilliseconds: expiresAtMilliseconds),
                key: key.span.bytes)
            var value = SealedEnvelope.header(
                codec: plain[0], dataKey: newest, headerExtension, room: plain.count)
            try SealedBytes.append(
                plain.suffix(from: Envelope.headerBytes + headerExtension.count).span, with: sealer, context: context,
                to: &value)
            return value
        }
    }

    private static func headerExtension(of plain: Bytes) throws(StorageError) -> Bytes {
        guard plain[1] & Envelope.extendedFlag != 0 else { return .empty }
        return try EnvelopeExtension(of: plain).bytes
    }

    /// Returns an encrypted envelope of an entry with its payload decrypted. Throws `.authenticationFailed` if anything
    /// differs from what was written.
    package func opened(
        _ envelope: [UInt8], key: [UInt8], isPurgeable: Bool, expiresAtMilliseconds: Int64?
    ) throws(StorageError) -> [UInt8] {
        try unsafe envelope.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            let sealed = try SealedEnvelope(unsafe Bytes(buffer))
            guard let sealer = sealers[sealed.dataKey] else {
                throw StorageError(
                    .authenticationFailed,
                    "a value names a data key that its namespace does not have key=\(sealed.dataKey)")
            }
            let context = unsafe SealContext.value(
                store: store, namespace: NamespaceKeyring.namespace, dataKey: sealed.dataKey, codec: sealed.codec,
                sealed.headerExtension,
                PutOptions(isPurgeable: isPurgeable, expiresAtMilliseconds: expiresAtMilliseconds),
                key: key.span.bytes)
            var plain: [UInt8] = [sealed.codec, sealed.headerExtension.isEmpty ? 0 : Envelope.extendedFlag]
            plain.reserveCapacity(buffer.count)
            plain += sealed.headerExtension.array()
            guard try SealedBytes.open(sealed.sealed, with: sealer, context: context, appendingTo: &plain) else {
                throw StorageError(
                    .authenticationFailed, "an encrypted value was changed or moved since it was stored")
            }
            return plain
        }
    }
}
