import ShaleBase
import ShaleManifest

/// The layout of a backup in a stream. On disk, do not change: DESIGN.md, "Backup stream".
enum BackupStreamFormat {
    static let magic: UInt64 = 0x5453_4245_4c41_4853  // "SHALEBST"
    static let version: UInt32 = 1
    static let encryptedFlag: UInt32 = 1
    static let headerBytes = 64
    static let idBytes = 16

    static let frameHeaderBytes = 16
    /// The largest content of a frame.
    static let contentBytesMax = 1 << 20
    /// The room for nonce and tag of an encrypted frame.
    static let sealBytesMax = 256
    /// The largest edit that makes the state, as in a manifest.
    static let stateBytesMax = 65 << 20

    enum Frame: UInt8 {
        /// The key of an encrypted stream, sealed.
        case key = 1
        case head = 2
        /// The number and size of the segment whose data follow.
        case segment = 3
        case data = 4
        /// A part of the manifest edit that makes the state.
        case state = 5
        case end = 6
    }

    /// Returns the number that stands for the file in the checksums of a stream's frames.
    static func checksumFile(_ id: [UInt8]) -> UInt64 {
        id.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns an error about damage. A stream has no file that the error could name.
    static func damage(_ reason: String, at offset: UInt64) -> StorageError {
        .corruption("the stream is damaged: \(reason)", offset: offset)
    }

    /// Parses the content of a frame. A failure becomes damage at the frame's position.
    static func parse<R>(
        _ frame: BackupStreamReader.Frame, _ body: (Bytes) throws(ParseFailure) -> R
    ) throws(StorageError) -> R {
        do { return try body(frame.content) } catch { throw damage(error.reason, at: frame.offset) }
    }
}

/// The frame at the beginning of a stream: whose backup it is.
struct BackupStreamHead {
    let identity: CurrentFile
    let wallMilliseconds: Int64
    /// The bytes of all segments; an estimate, for progress only.
    let segmentBytes: UInt64

    private static let byteCount = 40

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(identity.storeID.high)
        buffer.append(identity.storeID.low)
        buffer.append(identity.createdMilliseconds)
        buffer.append(wallMilliseconds)
        buffer.append(segmentBytes)
    }
}

extension BackupStreamHead {
    init(_ content: Bytes) throws(ParseFailure) {
        guard content.count == BackupStreamHead.byteCount else { throw ParseFailure("the head has a wrong size") }
        identity = CurrentFile(
            manifestNumber: 0, storeID: StoreID(content.u64(at: 0), content.u64(at: 8)),
            createdMilliseconds: content.i64(at: 16))
        wallMilliseconds = content.i64(at: 24)
        segmentBytes = content.u64(at: 32)
    }
}

/// The last frame of a stream: what the stream contains.
struct BackupStreamEnd: Equatable {
    var segments: UInt64 = 0
    var segmentBytes: UInt64 = 0

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(segments)
        buffer.append(segmentBytes)
    }
}

extension BackupStreamEnd {
    init(_ content: Bytes) throws(ParseFailure) {
        guard content.count == 16 else { throw ParseFailure("the end has a wrong size") }
        self.init(segments: content.u64(at: 0), segmentBytes: content.u64(at: 8))
    }
}
