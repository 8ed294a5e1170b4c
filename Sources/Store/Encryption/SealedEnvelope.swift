package import ShaleBase
import ShalePlatform

/// The envelope of an encrypted value. On disk, do not change.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 1 | 0, which is no codec: if damage clears the flag, the payload is still not taken for a value |
/// | 1 | 1 | flags: bit 0 encrypted, bit 1 with an extension, bit 2 in pieces (``PieceLayout``) |
/// | 2 | n | ``EnvelopeExtension``, if flagged: not encrypted, authenticated |
/// | 2 + n | 1 | codec of the plaintext |
/// | 3 + n | 4 | data key: its number in the namespace |
/// | 7 + n | 24 | nonce |
/// | 31 + n | rest | sealed payload, with the cipher's tag (16 bytes) |
///
/// A value in pieces has its layout in the place of the nonce, and its pieces in that of the payload.
package struct SealedEnvelope {
    static let headerBytes = 7

    static let piecesFlag: UInt8 = 4

    package let codec: UInt8
    package let dataKey: UInt32
    /// Nonce and sealed payload, or layout and pieces. Valid as long as the parsed memory.
    package let sealed: Bytes
    /// `nil` if the payload was sealed as a whole.
    let layout: PieceLayout?
    /// Empty for most values.
    package let headerExtension: Bytes

    package init(_ value: Bytes) throws(StorageError) {
        let knownFlags = Envelope.extendedFlag | SealedEnvelope.piecesFlag
        guard value.count >= Envelope.headerBytes, value[1] & ~knownFlags == Envelope.sealedFlag else {
            throw Envelope.failure(value)
        }
        let isExtended = value[1] & Envelope.extendedFlag != 0
        headerExtension = isExtended ? try EnvelopeExtension(of: value).bytes : .empty
        let start = headerExtension.count
        guard value.count >= SealedEnvelope.headerBytes + start + SealedBytes.nonceBytes, value[0] == 0,
            value[start + 2] != 0
        else {
            throw .corruption("the header of an encrypted value is not valid bytes=\(value.count)")
        }
        codec = value[start + 2]
        dataKey = value.u32(at: start + 3)
        sealed = value.suffix(from: SealedEnvelope.headerBytes + start)
        let hasPieces = value[1] & SealedEnvelope.piecesFlag != 0
        layout = hasPieces ? try PieceLayout(sealed.slice(0, PieceLayout.headerBytes)) : nil
    }

    /// Returns the bytes that precede the nonce, in an array with capacity for `room` bytes of plaintext and the
    /// sealing's overhead.
    package static func header(
        codec: UInt8, dataKey: UInt32, _ headerExtension: Bytes, room: Int, hasPieces: Bool = false
    ) -> [UInt8] {
        var value: [UInt8] = []
        value.reserveCapacity(headerBytes + SealedBytes.nonceBytes + room + 64)
        let flags = Envelope.sealedFlag | (headerExtension.isEmpty ? 0 : Envelope.extendedFlag)
        value += [0, hasPieces ? flags | piecesFlag : flags]
        value += headerExtension.array()
        value.append(codec)
        for shift in [0, 8, 16, 24] as [UInt32] { value.append(UInt8(truncatingIfNeeded: dataKey >> shift)) }
        return value
    }

    /// The size of the sealed payload in bytes, including the cipher's tag, or of all pieces.
    var payloadByteCount: Int { sealed.count - SealedBytes.nonceBytes }
}

/// A nonce followed by the cipher's output: the form of every sealed item. On disk, do not change.
///
/// Each sealing draws a nonce of 192 random bits. There is no counter that a restored copy, a clone or a fork could
/// repeat, and no state to store. ShaleEncryption.docc, "Value encryption".
package enum SealedBytes {
    static let nonceBytes = 24

    /// Appends nonce and sealed plaintext to `output`.
    package static func append(
        _ plaintext: RawSpan, with sealer: any ValueSealer, context: [UInt8], to output: inout [UInt8]
    ) throws(StorageError) {
        let nonce: [UInt8]
        do throws(IOFailure) {
            let isRepeated = PlantedBug.isActive(.repeatNonce)
            nonce = isRepeated ? [UInt8](repeating: 7, count: nonceBytes) : try SecretMemory.randomBytes(nonceBytes)
        } catch {
            throw error.storageError
        }
        output += nonce
        try unsafe sealer.seal(
            plaintext, nonce: nonce.span.bytes, context: context.span.bytes, appendingTo: &output)
    }

    /// Appends the plaintext to `output`; returns false if `sealed` is not authentic.
    package static func open(
        _ sealed: Bytes, with sealer: any ValueSealer, context: [UInt8], appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool {
        guard sealed.count >= nonceBytes else { return false }
        return try unsafe sealer.open(
            sealed.suffix(from: nonceBytes).span, nonce: sealed.slice(0, nonceBytes).span, context: context.span.bytes,
            appendingTo: &output)
    }
}
