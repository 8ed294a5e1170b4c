import ShaleBase

/// A data key of a namespace, sealed with the store's master key: a field of the namespace's options in the catalogue. On
/// disk, do not change: id u32, cipher u8, nonce 24, sealed key.
struct WrappedKey: Equatable, Sendable {
    private static let headerBytes = 5

    /// Counts from 1 in a namespace; the largest is the one that is written with.
    let id: UInt32
    /// What values are sealed with under this key.
    let cipher: CipherID
    /// Nonce and sealed key.
    let sealed: [UInt8]

    init(id: UInt32, cipher: CipherID, sealed: [UInt8]) {
        self.id = id
        self.cipher = cipher
        self.sealed = sealed
    }

    var byteCount: Int { WrappedKey.headerBytes + sealed.count }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(id)
        buffer.append(cipher.rawValue)
        buffer.append(sealed)
    }

    /// Takes the whole rest of `reader`.
    init(_ reader: inout ByteReader) throws(ParseFailure) {
        id = try reader.u32("the id of a data key")
        cipher = CipherID(rawValue: try reader.u8("the cipher of a data key"))
        sealed = try reader.slice(reader.remaining).array()
        guard id > 0, sealed.count > SealedBytes.nonceBytes else { throw ParseFailure("a data key is not valid") }
    }

    /// Seals `key` under `master`.
    init(
        _ key: SecretKey, id: UInt32, cipher: CipherID, of namespace: NamespaceID, with master: MasterKey
    ) throws(StorageError) {
        let context = SealContext.dataKey(
            store: master.record.storeID, namespace: namespace, dataKey: id, cipher: cipher,
            masterKey: master.record.masterKey)
        var sealed: [UInt8] = []
        try key.withBytes { (bytes) throws(StorageError) in
            try SealedBytes.append(bytes, with: master.sealer, context: context, to: &sealed)
        }
        self.init(id: id, cipher: cipher, sealed: sealed)
    }

    /// The key; throws `.authenticationFailed` when it is not what was sealed for this namespace under this master key.
    func unwrapped(of namespace: NamespaceID, with master: MasterKey) throws(StorageError) -> SecretKey {
        let context = SealContext.dataKey(
            store: master.record.storeID, namespace: namespace, dataKey: id, cipher: cipher,
            masterKey: master.record.masterKey)
        var key: [UInt8] = []
        // Sealing appends to it: growing would leave a copy behind that nobody overwrites.
        key.reserveCapacity(2 * SecretKey.byteCount)
        let isAuthentic = try unsafe sealed.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            try SealedBytes.open(
                unsafe Bytes(buffer), with: master.sealer, context: context, appendingTo: &key)
        }
        guard isAuthentic else {
            throw StorageError(
                .authenticationFailed, "a data key is not what was stored for its namespace id=\(id) of \(namespace)")
        }
        return try SecretKey(wiping: &key)
    }
}
