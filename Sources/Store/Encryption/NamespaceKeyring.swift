package import ShaleBase
import ShaleEngine

/// The keys of a namespace in another place than a store's catalogue: the record of a master key, and one data key that
/// it wraps. Thread-safe.
///
/// The keys are those of an encrypted namespace of a store, with a store of its own: the record has a random id of a
/// store, which is authenticated with each value, and the namespace has the id 1.
///
/// Stored form. On disk, do not change: length of the record u16, ``KeyRecord``, ``WrappedKey``.
package struct NamespaceKeyring: Sendable {
    private static let namespace = NamespaceID(rawValue: 1)
    private static let dataKey: UInt32 = 1

    /// The properties of a namespace that are authenticated with its data key.
    package struct Binding: Sendable {
        private let name: [UInt8]
        private let options: BoundOptions

        package init(name: [UInt8], isPurgeable: Bool, isEncrypted: Bool, lifetimeMilliseconds: Int64) {
            self.name = name
            options = BoundOptions(
                isPurgeable: isPurgeable, isEncrypted: isEncrypted, cipher: nil,
                lifetimeMilliseconds: lifetimeMilliseconds)
        }

        fileprivate var keyBinding: KeyBinding {
            KeyBinding(id: NamespaceKeyring.namespace, name: name, boundOptions: options)
        }
    }

    private let store: [UInt8]
    private let sealer: any ValueSealer

    /// Returns the stored form of new keys. Throws the errors of the provider.
    package static func makeStored(
        _ encryption: StoreEncryption, for binding: Binding
    ) throws(StorageError) -> [UInt8] {
        let master = try KeyRing(encryption).makeMaster()
        let key = try WrappedKey(
            try SecretKey(), id: dataKey, slot: KeySlot(cipher: encryption.cipher.id, isChosen: false),
            at: binding.keyBinding, with: master)
        let record = master.record.bytes
        var buffer = ByteBuffer()
        buffer.append(UInt16(record.count))
        buffer.append(record)
        key.encode(into: &buffer)
        return buffer.bytes.array()
    }

    /// Unlocks stored keys. Throws `.wrongKey`, `.cipherMismatch`, `.authenticationFailed` (the namespace's name or
    /// options are not those that the keys were made for), `.corruption` and the errors of the provider.
    package init(
        stored bytes: [UInt8], _ encryption: StoreEncryption, for binding: Binding
    ) throws(StorageError) {
        let record: [UInt8]
        let wrapped: WrappedKey
        do throws(ParseFailure) {
            (record, wrapped) = try unsafe bytes.span.bytes.withUnsafeBytes {
                (buffer) throws(ParseFailure) -> ([UInt8], WrappedKey) in
                var reader = ByteReader(unsafe Bytes(buffer))
                let record = try reader.slice(Int(try reader.u16("a length")), "a key record").array()
                return (record, try WrappedKey(&reader, isBound: true))
            }
        } catch {
            throw .corruption("a namespace's keys are not valid: \(error.reason)")
        }
        let ring = try KeyRing(encryption)
        let master = try ring.unlock(try KeyRecord(bytes: record))
        let secret = try wrapped.unwrapped(at: binding.keyBinding, with: master)
        store = master.record.storeID
        sealer = try ring.requireCipher(wrapped.cipher).sealer(with: secret)
    }

    /// Returns an envelope with its payload encrypted, for an entry of a key.
    package func sealed(
        _ envelope: [UInt8], key: [UInt8], isPurgeable: Bool, expiresAtMilliseconds: Int64?
    ) throws(StorageError) -> [UInt8] {
        try unsafe envelope.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            let plain = unsafe Bytes(buffer)
            let headerExtension = try NamespaceKeyring.headerExtension(of: plain)
            let context = unsafe SealContext.value(
                store: store, namespace: NamespaceKeyring.namespace, dataKey: NamespaceKeyring.dataKey,
                codec: plain[0], headerExtension,
                PutOptions(isPurgeable: isPurgeable, expiresAtMilliseconds: expiresAtMilliseconds),
                key: key.span.bytes)
            var value = SealedEnvelope.header(
                codec: plain[0], dataKey: NamespaceKeyring.dataKey, headerExtension, room: plain.count)
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
            let context = unsafe SealContext.value(
                store: store, namespace: NamespaceKeyring.namespace, dataKey: sealed.dataKey, codec: sealed.codec,
                sealed.headerExtension,
                PutOptions(isPurgeable: isPurgeable, expiresAtMilliseconds: expiresAtMilliseconds),
                key: key.span.bytes)
            var plain: [UInt8] = [sealed.codec, sealed.headerExtension.isEmpty ? 0 : Envelope.extendedFlag]
            plain.reserveCapacity(buffer.count)
            plain += sealed.headerExtension.array()
            guard sealed.dataKey == NamespaceKeyring.dataKey,
                try SealedBytes.open(sealed.sealed, with: sealer, context: context, appendingTo: &plain)
            else {
                throw StorageError(
                    .authenticationFailed, "an encrypted value was changed or moved since it was stored")
            }
            return plain
        }
    }
}
