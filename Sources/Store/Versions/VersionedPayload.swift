import ShaleBase

/// The payload of a value that was stored with a ``VersionedCodec``. On disk, do not change.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 4 | version: u32, at least 1 |
/// | 4 | 1 | codec of the document: ``ValueCodec``, a built-in one other than ``ValueCodec/versioned`` |
/// | 5 | rest | document |
///
/// The envelope names the codec ``ValueCodec/versioned``. A value that was stored without a version has another codec
/// there, so its bytes are never read as this form. It counts as version 1.
struct VersionedPayload {
    static let headerBytes = 5
    static let versions = 1...Int(UInt32.max)

    let version: Int
    let codec: ValueCodec
    /// The document. Valid as long as the parsed memory.
    let document: Bytes

    /// Parses a payload that was stored with the codec `stored`, O(1). The document is not checked.
    init(_ payload: Bytes, _ stored: ValueCodec) throws(StorageError) {
        guard stored == .versioned else {
            version = VersionedPayload.versions.lowerBound
            codec = stored
            document = payload
            return
        }
        guard payload.count >= VersionedPayload.headerBytes else { throw .badPayload(stored, payload.count) }
        version = Int(payload.u32(at: 0))
        codec = ValueCodec(rawValue: payload[4])
        document = payload.suffix(from: VersionedPayload.headerBytes)
        guard version > 0, codec.rawValue != 0, codec != .versioned else { throw .badPayload(stored, payload.count) }
        guard codec.isKnown else { throw .unexpected(codec, requested: "a version") }
    }

    /// Passes the payload of a document to `body`.
    static func with(
        _ version: Int, _ codec: ValueCodec, _ document: RawSpan,
        _ body: (RawSpan, ValueCodec) throws(StorageError) -> Void
    ) throws(StorageError) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerBytes + document.byteCount)
        let number = UInt32(clamping: version)
        for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        bytes.append(codec.rawValue)
        unsafe document.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        try unsafe body(bytes.span.bytes, .versioned)
    }
}

/// A copy of a stored document with its version. The application's code runs on the copy, while no memory of the engine
/// is pinned.
package struct VersionedDocument: Sendable {
    package let version: Int
    let payload: CopiedPayload

    init(version: Int, _ payload: CopiedPayload) {
        self.version = version
        self.payload = payload
    }

    init(_ payload: RawSpan, _ stored: ValueCodec) throws(StorageError) {
        (version, self.payload) = try unsafe payload.withUnsafeBytes { (buffer) throws(StorageError) in
            let parsed = try VersionedPayload(unsafe Bytes(buffer), stored)
            return (parsed.version, CopiedPayload(parsed.document.span, parsed.codec))
        }
    }

    /// Copies the document of the value in an envelope.
    init(envelope: RawSpan) throws(StorageError) {
        self = try Envelope.read(envelope) { (envelope) throws(StorageError) in
            try VersionedDocument(envelope.payload.span, envelope.codec)
        }
    }
}
