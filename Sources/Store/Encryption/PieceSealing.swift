import ShaleBase
import ShaleEngine
import ShalePlatform

/// The form of an encrypted value that was written in pieces, which are sealed each on its own. On disk, do not change:
/// after the header of a ``SealedEnvelope`` follow
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 16 | random number of the value |
/// | 16 | 4 | bytes of plaintext in a piece; the last piece has at most as many |
/// | 20 | 4 | bytes of a sealed piece: plaintext, nonce and tag |
/// | 24 | … | the sealed pieces, without gaps |
///
/// Only an empty value has an empty piece. Each piece is authenticated with the value's context, with its number, and
/// with whether it is the last one: pieces of one value can't be exchanged, repeated or left out, those of two values
/// can't be mixed, and a value can't end early.
struct PieceLayout {
    static let headerBytes = 24
    static let plainBytes = 64 << 10

    /// The random number of the value.
    let value: [UInt8]
    let plainBytes: Int
    let sealedBytes: Int

    init(value: [UInt8], plainBytes: Int, sealedBytes: Int) {
        self.value = value
        self.plainBytes = plainBytes
        self.sealedBytes = sealedBytes
    }

    init(_ bytes: Bytes) throws(StorageError) {
        value = bytes.slice(0, 16).array()
        plainBytes = Int(bytes.u32(at: 16))
        sealedBytes = Int(bytes.u32(at: 20))
        guard (1 << 10...1 << 20).contains(plainBytes), sealedBytes > plainBytes,
            overhead <= PieceLayout.overheadMax
        else { throw .corruption("the pieces of an encrypted value are out of bounds") }
    }

    private static let overheadMax = 4096

    func append(to output: inout [UInt8]) {
        output += value
        for number in [plainBytes, sealedBytes] {
            for shift in stride(from: 0, to: 32, by: 8) { output.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
    }

    /// The bytes that sealing adds to each piece.
    private var overhead: Int { sealedBytes - plainBytes }

    /// The number of pieces in `count` bytes.
    private func pieces(in count: Int) -> Int { (count + sealedBytes - 1) / sealedBytes }

    /// Returns the bytes of plaintext in pieces of `count` bytes together.
    func plainByteCount(of count: Int) throws(StorageError) -> Int {
        let plain = count - pieces(in: count) * overhead
        let last = count % sealedBytes
        guard count >= overhead, last == 0 || last >= overhead, plain == 0 || last != overhead else {
            throw .corruption("an encrypted value ends inside a piece")
        }
        return plain
    }

    /// Returns the pieces that have a range of the plaintext, and the last piece if the range reaches to the end or
    /// beyond it: only that piece shows where the value ends.
    ///
    /// - Parameter count: The bytes of all pieces together.
    func pieces(with range: Range<Int>, of count: Int) throws(StorageError) -> Range<Int> {
        let plain = try plainByteCount(of: count)
        let last = pieces(in: count) - 1
        guard range.lowerBound < plain else { return last..<last + 1 }
        guard range.upperBound <= plain, !range.isEmpty else {
            return range.lowerBound / plainBytes..<(range.isEmpty ? range.lowerBound / plainBytes : last + 1)
        }
        return range.lowerBound / plainBytes..<(range.upperBound - 1) / plainBytes + 1
    }

    /// Returns the place of a sealed piece among `count` bytes.
    func place(of piece: Int, in count: Int) -> (bytes: Range<Int>, isLast: Bool) {
        let end = min(count, (piece + 1) * sealedBytes)
        return (piece * sealedBytes..<end, end == count)
    }
}

/// The sealing of the pieces of one value: key, context and layout.
struct PieceCipher {
    let sealer: any ValueSealer
    /// The context of the value, which begins that of each piece.
    let context: SealContext.PieceContext

    func open(
        _ sealed: Bytes, number: Int, isLast: Bool, appendingTo plain: inout [UInt8]
    ) throws(StorageError) {
        let context = context.piece(number, isLast: isLast)
        guard try SealedBytes.open(sealed, with: sealer, context: context, appendingTo: &plain) else {
            throw StorageError(.authenticationFailed, "an encrypted value was changed or moved since it was stored")
        }
    }

    func seal(
        _ plain: Bytes, number: Int, isLast: Bool, appendingTo sealed: inout [UInt8]
    ) throws(StorageError) {
        let context = context.piece(number, isLast: isLast)
        try SealedBytes.append(plain.span, with: sealer, context: context, to: &sealed)
    }
}

/// Encrypts a value that is written in pieces of any length. Used by one thread at a time.
struct PieceSealing {
    /// Held until the value is in the store.
    let use: KeyUse
    private let cipher: PieceCipher
    /// The header of the envelope before the layout.
    private let header: [UInt8]
    private let value: [UInt8]
    /// Plaintext that is not sealed yet: at least the last piece.
    private var buffer: [UInt8] = []
    private var number = 0
    private var sealedBytes = 0

    init(_ use: KeyUse, _ cipher: PieceCipher, header: [UInt8], value: [UInt8]) {
        self.use = use
        self.cipher = cipher
        self.header = header
        self.value = value
    }

    /// Adds plaintext, and passes what can be sealed to `write`. The last full piece is kept: it may be the last one.
    mutating func append(
        _ bytes: Bytes, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        var rest = bytes
        while !rest.isEmpty {
            if buffer.count == PieceLayout.plainBytes { try seal(isLast: false, write) }
            let count = min(PieceLayout.plainBytes - buffer.count, rest.count)
            buffer += rest.slice(0, count).array()
            rest = rest.suffix(from: count)
        }
    }

    /// Seals the last piece.
    mutating func finish(_ write: (RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try seal(isLast: true, write)
    }

    private mutating func seal(
        isLast: Bool, _ write: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        var sealed: [UInt8] = []
        sealed.reserveCapacity(header.count + PieceLayout.headerBytes + buffer.count + 64)
        try buffer.withBytes { (plain) throws(StorageError) in
            try cipher.seal(plain, number: number, isLast: isLast, appendingTo: &sealed)
        }
        let overhead = sealed.count - buffer.count
        let isFirst = number == 0
        if isFirst { sealedBytes = PieceLayout.plainBytes + overhead }
        guard overhead > 0, overhead == sealedBytes - PieceLayout.plainBytes else {
            throw StorageError(.codecFailure, "a cipher whose results have no fixed length can't encrypt pieces")
        }
        if isFirst {
            var start = header
            PieceLayout(value: value, plainBytes: PieceLayout.plainBytes, sealedBytes: sealedBytes).append(to: &start)
            try unsafe write(start.span.bytes)
        }
        try unsafe write(sealed.span.bytes)
        buffer.removeAll(keepingCapacity: true)
        number += 1
    }
}

extension NamespaceState {
    /// Begins to encrypt a value of bytes that is written in pieces. `cipher` is the one that the call names.
    func pieceSealing(
        _ key: RawSpan, _ id: NamespaceID, _ options: PutOptions, _ cipher: CipherID?, writtenAt: Int64?
    ) throws(StorageError) -> PieceSealing {
        let ring = try core.requireKeyRing()
        let use = try keyForWriting(id, ring, cipher)
        let master = try core.masterKey(ring)
        guard let sealer = use.key.sealer else { throw KeyRing.missingCipher(use.key.cipher) }
        let value: [UInt8]
        do throws(IOFailure) { value = try SecretMemory.randomBytes(16) } catch { throw error.storageError }
        return try Envelope.with(.data, RawSpan(), writtenAt: writtenAt) {
            (envelope) throws(StorageError) -> PieceSealing in
            try unsafe envelope.withUnsafeBytes { (buffer) throws(StorageError) -> PieceSealing in
                let headerExtension = writtenAt == nil ? .empty : try EnvelopeExtension(of: unsafe Bytes(buffer)).bytes
                let context = SealContext.pieces(
                    store: master.record.storeID, namespace: id, dataKey: use.key.id, codec: ValueCodec.data.rawValue,
                    headerExtension, options, key: key, value: value, plainBytes: PieceLayout.plainBytes)
                let header = SealedEnvelope.header(
                    codec: ValueCodec.data.rawValue, dataKey: use.key.id, headerExtension, room: 0, hasPieces: true)
                return PieceSealing(
                    use, PieceCipher(sealer: sealer, context: context), header: header, value: value)
            }
        }
    }

    /// Returns what opens the pieces of a value. `sealed` has the beginning of its envelope.
    func pieceCipher(
        _ sealed: SealedEnvelope, _ layout: PieceLayout, _ key: RawSpan, _ id: NamespaceID, _ info: EntryInfo
    ) throws(StorageError) -> PieceCipher {
        let (sealer, storeID) = try self.sealer(of: sealed.dataKey, id)
        return PieceCipher(
            sealer: sealer,
            context: SealContext.pieces(
                store: storeID, namespace: id, dataKey: sealed.dataKey, codec: sealed.codec, sealed.headerExtension,
                PutOptions(isPurgeable: info.isPurgeable, expiresAtMilliseconds: info.expiresAtMilliseconds),
                key: key, value: layout.value, plainBytes: layout.plainBytes))
    }

    /// Appends all pieces of a value to `plain`.
    func openPieces(
        _ sealed: SealedEnvelope, _ layout: PieceLayout, _ key: RawSpan, _ id: NamespaceID, _ info: EntryInfo,
        appendingTo plain: inout [UInt8]
    ) throws(StorageError) {
        let cipher = try pieceCipher(sealed, layout, key, id, info)
        let pieces = sealed.sealed.suffix(from: PieceLayout.headerBytes)
        for number in try layout.pieces(with: 0..<Int.max, of: pieces.count) {
            let (place, isLast) = layout.place(of: number, in: pieces.count)
            try cipher.open(
                pieces.slice(place.lowerBound, place.count), number: number, isLast: isLast, appendingTo: &plain)
        }
    }
}
