import ShaleBase
import ShaleEngine

/// Encrypts values on their way to the engine and decrypts them on their way back.
extension NamespaceState {
    /// True if a value with these options is encrypted.
    @inline(__always)
    func encrypts(_ options: ValueOptions) -> Bool { options.isEncrypted ?? defaults.isEncrypted }

    /// Encrypts the payload of an envelope. The caller must hold the returned `use` until the value is in the store.
    /// `cipher` is the one that the call names; `nil` means the namespace's or the store's.
    @inline(never)
    func sealed(
        _ envelope: RawSpan, _ key: RawSpan, _ id: NamespaceID, _ options: PutOptions, _ cipher: CipherID?
    ) throws(StorageError) -> (value: [UInt8], use: KeyUse) {
        let ring = try core.requireKeyRing()
        let use = try keyForWriting(id, ring, cipher)
        let master = try core.masterKey(ring)
        guard let sealer = use.key.sealer else { throw KeyRing.missingCipher(use.key.cipher) }
        let value = try unsafe envelope.withUnsafeBytes { (buffer) throws(StorageError) -> [UInt8] in
            let plain = unsafe Bytes(buffer)
            let isExtended = plain[1] & Envelope.extendedFlag != 0
            let headerExtension = isExtended ? try EnvelopeExtension(of: plain).bytes : .empty
            let context = SealContext.value(
                store: master.record.storeID, namespace: id, dataKey: use.key.id, codec: plain[0], headerExtension,
                options, key: key)
            var value = SealedEnvelope.header(
                codec: plain[0], dataKey: use.key.id, headerExtension, room: plain.count)
            try SealedBytes.append(
                plain.suffix(from: Envelope.headerBytes + headerExtension.count).span, with: sealer, context: context,
                to: &value)
            return value
        }
        return (value, use)
    }

    /// Passes an entry's envelope, decrypted if necessary, to `body`.
    @inline(__always)
    func withPlain<R>(
        _ found: FoundEntry, _ key: RawSpan, _ id: NamespaceID, _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if Envelope.isPlain(found.value) { return try body(found.value.span) }
        let plain = try opened(found.value.span, key, id, EntryInfo(found))
        return try unsafe body(plain.span.bytes)
    }

    /// Passes a copied entry's envelope, decrypted if necessary, to `body`.
    func withPlain<R>(
        _ value: RawSpan, _ info: EntryInfo, _ key: RawSpan, _ id: NamespaceID,
        _ body: (RawSpan) throws(StorageError) -> R
    ) throws(StorageError) -> R {
        if unsafe value.withUnsafeBytes({ Envelope.isPlain(unsafe Bytes($0)) }) { return try body(value) }
        let plain = try opened(value, key, id, info)
        return try unsafe body(plain.span.bytes)
    }

    /// Decrypts the envelope of an entry. Throws if anything differs from what was written.
    @inline(never)
    func opened(
        _ value: RawSpan, _ key: RawSpan, _ id: NamespaceID, _ info: EntryInfo
    ) throws(StorageError) -> [UInt8] {
        try unsafe value.withUnsafeBytes { (buffer) throws(StorageError) in
            let sealed = try SealedEnvelope(unsafe Bytes(buffer))
            var plain: [UInt8] = [sealed.codec, sealed.headerExtension.isEmpty ? 0 : Envelope.extendedFlag]
            plain.reserveCapacity(buffer.count)
            plain += sealed.headerExtension.array()
            if let layout = sealed.layout {
                try openPieces(sealed, layout, key, id, info, appendingTo: &plain)
                return plain
            }
            let (sealer, storeID) = try self.sealer(of: sealed.dataKey, id)
            let options = PutOptions(
                isPurgeable: info.isPurgeable, expiresAtMilliseconds: info.expiresAtMilliseconds)
            let context = SealContext.value(
                store: storeID, namespace: id, dataKey: sealed.dataKey, codec: sealed.codec,
                sealed.headerExtension, options, key: key)
            guard try SealedBytes.open(sealed.sealed, with: sealer, context: context, appendingTo: &plain) else {
                throw StorageError(.authenticationFailed, "an encrypted value was changed or moved since it was stored")
            }
            return plain
        }
    }

    /// Returns what opens values under a data key of the namespace, and the store's number in their contexts.
    func sealer(of dataKey: UInt32, _ id: NamespaceID) throws(StorageError) -> (any ValueSealer, storeID: [UInt8]) {
        let ring = try core.requireKeyRing()
        let keys = try dataKeys(id, ring)
        let master = try core.masterKey(ring)
        guard let key = keys.key(dataKey) else {
            throw StorageError(
                .authenticationFailed, "a value names a data key that its namespace does not have key=\(dataKey)")
        }
        guard let sealer = key.sealer else { throw KeyRing.missingCipher(key.cipher) }
        return (sealer, master.record.storeID)
    }
}
