import ShaleBase

/// A data key of a namespace, sealed with the store's master key: a field of the namespace's options in the catalogue.
///
/// On disk, do not change: id u32, cipher u8, flags u8 (bit 0: calls chose the cipher), nonce 24, sealed key. Fields of
/// an earlier version have a tag of their own and lack the flags; their keys are sealed for the namespace's id only.
struct WrappedKey: Equatable, Sendable {
    private static let headerBytes = 6
    private static let earlierHeaderBytes = 5

    /// The key's number in its namespace, from 1. New writes use the largest of a slot.
    let id: UInt32
    let slot: KeySlot
    /// Nonce and sealed key.
    let sealed: [UInt8]
    /// True if the namespace's name and options are authenticated with the key.
    let isBound: Bool

    /// The cipher of the values that are sealed with this key.
    var cipher: CipherID { slot.cipher }

    private init(id: UInt32, slot: KeySlot, sealed: [UInt8], isBound: Bool) {
        self.id = id
        self.slot = slot
        self.sealed = sealed
        self.isBound = isBound
    }

    // MARK: Bytes

    var byteCount: Int { (isBound ? WrappedKey.headerBytes : WrappedKey.earlierHeaderBytes) + sealed.count }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(id)
        buffer.append(cipher.rawValue)
        if isBound { buffer.append(UInt8(slot.isChosen ? 1 : 0)) }
        buffer.append(sealed)
    }

    /// Parses a wrapped key from all remaining bytes of `reader`.
    init(_ reader: inout ByteReader, isBound: Bool) throws(ParseFailure) {
        id = try reader.u32("the id of a data key")
        let cipher = CipherID(rawValue: try reader.u8("the cipher of a data key"))
        let flags = isBound ? try reader.u8("the flags of a data key") : 0
        slot = KeySlot(cipher: cipher, isChosen: flags == 1)
        sealed = try reader.slice(reader.remaining).array()
        self.isBound = isBound
        guard id > 0, flags <= 1, sealed.count > SealedBytes.nonceBytes else {
            throw ParseFailure("a data key is not valid")
        }
    }

    // MARK: Sealing

    /// Seals `key` under `master`.
    init(
        _ key: SecretKey, id: UInt32, slot: KeySlot, at binding: KeyBinding, with master: MasterKey
    ) throws(StorageError) {
        let context = SealContext.dataKey(
            store: master.record.storeID, binding: binding, dataKey: id, slot: slot, masterKey: master.record.masterKey)
        var sealed: [UInt8] = []
        try key.withBytes { (bytes) throws(StorageError) in
            try SealedBytes.append(bytes, with: master.sealer, context: context, to: &sealed)
        }
        self.init(id: id, slot: slot, sealed: sealed, isBound: true)
    }

    private func context(_ binding: KeyBinding, _ record: KeyRecord) -> [UInt8] {
        guard isBound else {
            return SealContext.earlierDataKey(
                store: record.storeID, namespace: binding.id, dataKey: id, cipher: cipher, masterKey: record.masterKey)
        }
        return SealContext.dataKey(
            store: record.storeID, binding: binding, dataKey: id, slot: slot, masterKey: record.masterKey)
    }

    /// Returns the key. Throws `.authenticationFailed` if it was sealed for another namespace, name or options, or
    /// under another master key.
    func unwrapped(at binding: KeyBinding, with master: MasterKey) throws(StorageError) -> SecretKey {
        let context = context(binding, master.record)
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
                    + "namespace=\(binding.id)"
            )
        }
        return try SecretKey(wiping: &key)
    }
}

/// The cipher of a data key and the origin of that choice. Each slot of a namespace has one key for new writes.
struct KeySlot: Hashable, Sendable {
    let cipher: CipherID
    /// True if calls named the cipher. A change of data keys keeps the cipher of such values. It moves all other values
    /// to the cipher that the namespace or the store names now.
    let isChosen: Bool
}

extension [WrappedKey] {
    /// Returns the keys that new writes use if `cipher` is the namespace's cipher: for each cipher chosen by calls, its
    /// last key; and the last key not chosen by a call, if it is of `cipher`.
    func active(_ cipher: CipherID) -> [WrappedKey] {
        filter { key in
            key.slot.isChosen || key.cipher == cipher
        }.filter { key in
            !contains { $0.id > key.id && (key.slot.isChosen ? $0.slot == key.slot : !$0.slot.isChosen) }
        }
    }

    /// Returns the slots that have a key once a change of the keys has finished.
    func slots(_ cipher: CipherID) -> [KeySlot] {
        var slots: [KeySlot] = []
        for key in self {
            let slot = key.slot.isChosen ? key.slot : KeySlot(cipher: cipher, isChosen: false)
            if !slots.contains(slot) { slots.append(slot) }
        }
        return slots
    }

    /// True if a change has begun and not finished: every slot has its new key, and older keys remain.
    func isChanging(_ cipher: CipherID) -> Bool {
        let active = active(cipher)
        return count > active.count && active.count == slots(cipher).count
    }

    /// True if a slot has several keys, or values remain in a cipher that is no longer the namespace's.
    var hasSupersededKeys: Bool {
        contains { key in
            contains { $0.id > key.id && (key.slot.isChosen ? $0.slot == key.slot : !$0.slot.isChosen) }
        }
    }

    /// Returns the same keys, sealed for another binding or under another master key.
    func resealed(
        from old: KeyBinding, with oldMaster: MasterKey, to new: KeyBinding, with newMaster: MasterKey
    ) throws(StorageError) -> [WrappedKey] {
        var keys: [WrappedKey] = []
        for key in self {
            let secret = try key.unwrapped(at: old, with: oldMaster)
            keys.append(try WrappedKey(secret, id: key.id, slot: key.slot, at: new, with: newMaster))
        }
        return keys
    }
}
