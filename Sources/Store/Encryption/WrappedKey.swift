import ShaleBase

/// A data key of a namespace, sealed with the store's master key: a field of the namespace's options in the catalogue.
///
/// On disk, do not change: id u32, cipher u8, flags u8 (bit 0: calls chose the cipher), nonce 24, sealed key. Fields of
/// an earlier version have a tag of their own and lack the flags; their keys are sealed for the namespace's id only.
struct WrappedKey: Equatable, Sendable {
    private static let headerBytes = 6
    private static let earlierHeaderBytes = 5

    /// The key's number in its namespace, from 1. New writes use the largest of a lane.
    let id: UInt32
    let lane: KeyLane
    /// Nonce and sealed key.
    let sealed: [UInt8]
    /// True if the namespace's name and options are authenticated with the key.
    let isBound: Bool

    /// The cipher of the values that are sealed with this key.
    var cipher: CipherID { lane.cipher }

    private init(id: UInt32, lane: KeyLane, sealed: [UInt8], isBound: Bool) {
        self.id = id
        self.lane = lane
        self.sealed = sealed
        self.isBound = isBound
    }

    // MARK: Bytes

    var byteCount: Int { (isBound ? WrappedKey.headerBytes : WrappedKey.earlierHeaderBytes) + sealed.count }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(id)
        buffer.append(cipher.rawValue)
        if isBound { buffer.append(UInt8(lane.isChosen ? 1 : 0)) }
        buffer.append(sealed)
    }

    /// Parses a wrapped key from all remaining bytes of `reader`.
    init(_ reader: inout ByteReader, isBound: Bool) throws(ParseFailure) {
        id = try reader.u32("the id of a data key")
        let cipher = CipherID(rawValue: try reader.u8("the cipher of a data key"))
        let flags = isBound ? try reader.u8("the flags of a data key") : 0
        lane = KeyLane(cipher: cipher, isChosen: flags == 1)
        sealed = try reader.slice(reader.remaining).array()
        self.isBound = isBound
        guard id > 0, flags <= 1, sealed.count > SealedBytes.nonceBytes else {
            throw ParseFailure("a data key is not valid")
        }
    }

    // MARK: Sealing

    /// Seals `key` under `master`.
    init(
        _ key: SecretKey, id: UInt32, lane: KeyLane, at place: KeyPlace, with master: MasterKey
    ) throws(StorageError) {
        let context = SealContext.dataKey(
            store: master.record.storeID, place: place, dataKey: id, lane: lane, masterKey: master.record.masterKey)
        var sealed: [UInt8] = []
        try key.withBytes { (bytes) throws(StorageError) in
            try SealedBytes.append(bytes, with: master.sealer, context: context, to: &sealed)
        }
        self.init(id: id, lane: lane, sealed: sealed, isBound: true)
    }

    private func context(_ place: KeyPlace, _ record: KeyRecord) -> [UInt8] {
        guard isBound else {
            return SealContext.earlierDataKey(
                store: record.storeID, namespace: place.id, dataKey: id, cipher: cipher, masterKey: record.masterKey)
        }
        return SealContext.dataKey(
            store: record.storeID, place: place, dataKey: id, lane: lane, masterKey: record.masterKey)
    }

    /// Returns the key. Throws `.authenticationFailed` if it was sealed for another namespace, name or options, or
    /// under another master key.
    func unwrapped(at place: KeyPlace, with master: MasterKey) throws(StorageError) -> SecretKey {
        let context = context(place, master.record)
        var key: [UInt8] = []
        // Opening appends to the array. If the array grew, an old copy would stay in memory that is not overwritten.
        key.reserveCapacity(2 * SecretKey.byteCount)
        let isAuthentic = try unsafe sealed.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            try SealedBytes.open(
                unsafe Bytes(buffer), with: master.sealer, context: context, appendingTo: &key)
        }
        guard isAuthentic else {
            throw StorageError(
                .authenticationFailed,
                "a namespace's data key, name or options were changed since they were stored key=\(id) "
                    + "namespace=\(place.id)"
            )
        }
        return try SecretKey(wiping: &key)
    }
}
