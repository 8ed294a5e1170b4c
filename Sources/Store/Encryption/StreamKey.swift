package import ShaleBase

/// The key of one encrypted stream: random bits, which the master key of a ``StoreEncryption`` seals.
///
/// A stream key seals the frames of its stream. Position and type of a frame are authenticated with its content, so
/// that a frame can't be opened at another place or in another stream.
package struct StreamKey: Sendable {
    private let sealer: any ValueSealer
    private let stream: [UInt8]

    private init(_ sealer: any ValueSealer, stream: [UInt8]) {
        self.sealer = sealer
        self.stream = stream
    }

    /// Makes a key for a new stream.
    ///
    /// - Parameters:
    ///   - stream: The stream's random id.
    ///   - header: The bytes of the stream that precede the key's frame. They are authenticated with the key.
    /// - Returns: The key, and its sealed form for the stream.
    package static func make(
        _ encryption: StoreEncryption, stream: [UInt8], header: [UInt8]
    ) throws(StorageError) -> (key: StreamKey, sealed: [UInt8]) {
        let parameters = try encryption.keys.makeParameters()
        guard parameters.count <= KeyRecord.parameterBytesMax else {
            throw .invalid(
                "a key provider's parameters are \(parameters.count) bytes, over the limit of "
                    + "\(KeyRecord.parameterBytesMax)")
        }
        let master = try encryption.cipher.sealer(with: try encryption.keys.key(for: parameters))
        var buffer = ByteBuffer()
        buffer.append(UInt32(encryption.cipher.id.rawValue))
        buffer.append(UInt32(parameters.count))
        buffer.append(parameters)
        var sealed = buffer.bytes.array()
        let key = try SecretKey()
        let context = SealContext.streamKey(header: header + sealed)
        try key.withBytes { (bytes) throws(StorageError) in
            try SealedBytes.append(bytes, with: master, context: context, to: &sealed)
        }
        return (StreamKey(try encryption.cipher.sealer(with: key), stream: stream), sealed)
    }

    /// Opens the sealed form of a key. See ``make(_:stream:header:)``.
    ///
    /// - Throws: `.cipherMismatch` if `encryption` lacks the cipher of the stream; `.wrongKey`; the errors of the key's
    ///   provider; `.corruption` if the form does not parse.
    package init(
        opening sealed: Bytes, _ encryption: StoreEncryption, stream: [UInt8], header: [UInt8]
    ) throws(StorageError) {
        let (id, parameters, start) = try StreamKey.parse(sealed)
        guard let cipher = ([encryption.cipher] + encryption.otherCiphers).first(where: { $0.id == id }) else {
            throw KeyRing.missingCipher(id)
        }
        let master = try cipher.sealer(with: try encryption.keys.key(for: parameters))
        let context = SealContext.streamKey(header: header + sealed.slice(0, start).array())
        var key: [UInt8] = []
        // Opening appends to the array. If the array grew, an old copy would stay in memory that is not overwritten.
        key.reserveCapacity(2 * SecretKey.byteCount)
        guard
            try SealedBytes.open(sealed.suffix(from: start), with: master, context: context, appendingTo: &key)
        else {
            throw StorageError(.wrongKey, "the key is not the one that the stream was encrypted with")
        }
        self.init(try cipher.sealer(with: try SecretKey(wiping: &key)), stream: stream)
    }

    private static func parse(
        _ sealed: Bytes
    ) throws(StorageError) -> (id: CipherID, parameters: [UInt8], start: Int) {
        do throws(ParseFailure) {
            var reader = ByteReader(sealed)
            guard let id = UInt8(exactly: try reader.u32("the cipher")) else {
                throw ParseFailure("the cipher is out of bounds")
            }
            let parameters = try reader.string32(limit: KeyRecord.parameterBytesMax, "the parameters of a key")
            return (CipherID(rawValue: id), parameters, reader.offset)
        } catch {
            throw .corruption("the key of an encrypted stream is not valid: \(error.reason)")
        }
    }

    /// Appends the sealed form of a frame to `output`: nonce, ciphertext, tag.
    package func seal(
        _ frame: Bytes, at position: UInt64, type: UInt8, appendingTo output: inout [UInt8]
    ) throws(StorageError) {
        let context = SealContext.frame(stream: stream, position: position, type: type)
        try SealedBytes.append(frame.span, with: sealer, context: context, to: &output)
    }

    /// Appends the content of a sealed frame to `output`. Returns false if the frame is not authentic there.
    package func open(
        _ sealed: Bytes, at position: UInt64, type: UInt8, appendingTo output: inout [UInt8]
    ) throws(StorageError) -> Bool {
        let context = SealContext.frame(stream: stream, position: position, type: type)
        return try SealedBytes.open(sealed, with: sealer, context: context, appendingTo: &output)
    }
}
