import ShaleBase
import ShaleManifest

/// The layout of a backup in a stream. On disk, do not change: DESIGN.md, "Backup stream".
enum BackupStreamFormat {
    static let magic: UInt64 = 0x5453_4245_4c41_4853  // "SHALEBST"
    static let version: UInt32 = 1
    static let encryptedFlag: UInt32 = 1
    /// The stream has value files.
    static let valuesFlag: UInt32 = 2
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
        /// The number and size of the value file whose data follow.
        case values = 7
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
    /// The bytes of all segments and value files; an estimate, for progress only.
    let storedBytes: UInt64

    private static let byteCount = 40

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(identity.storeID.high)
        buffer.append(identity.storeID.low)
        buffer.append(identity.createdMilliseconds)
        buffer.append(wallMilliseconds)
        buffer.append(storedBytes)
    }
}

extension BackupStreamHead {
    init(_ content: Bytes) throws(ParseFailure) {
        guard content.count == BackupStreamHead.byteCount else { throw ParseFailure("the head has a wrong size") }
        identity = CurrentFile(
            manifestNumber: 0, storeID: StoreID(content.u64(at: 0), content.u64(at: 8)),
            createdMilliseconds: content.i64(at: 16))
        wallMilliseconds = content.i64(at: 24)
        storedBytes = content.u64(at: 32)
    }
}

/// The frame before the data of a file: its number and size.
struct BackupStreamFile {
    let number: UInt64
    let bytes: UInt64

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(number)
        buffer.append(bytes)
    }
}

extension BackupStreamFile {
    init(_ content: Bytes) throws(ParseFailure) {
        guard content.count == 16 else { throw ParseFailure("a file's head has a wrong size") }
        self.init(number: content.u64(at: 0), bytes: content.u64(at: 8))
        guard 1...FormatLimits.fileNumber ~= number, 1...FormatLimits.segmentTotal ~= bytes else {
            throw ParseFailure("a file's number or size is not valid")
        }
    }
}

/// The last frame of a stream: what the stream contains.
struct BackupStreamEnd: Equatable {
    var segments: UInt64 = 0
    var segmentBytes: UInt64 = 0
    var valueFiles: UInt64 = 0
    var valueBytes: UInt64 = 0

    /// - Parameter hasValues: True if the stream has value files. The frame has no field about them otherwise.
    func encode(into buffer: inout ByteBuffer, hasValues: Bool) {
        buffer.append(segments)
        buffer.append(segmentBytes)
        guard hasValues else { return }
        buffer.append(valueFiles)
        buffer.append(valueBytes)
    }
}

extension BackupStreamEnd {
    init(_ content: Bytes, hasValues: Bool) throws(ParseFailure) {
        guard content.count == (hasValues ? 32 : 16) else { throw ParseFailure("the end has a wrong size") }
        self.init(segments: content.u64(at: 0), segmentBytes: content.u64(at: 8))
        guard hasValues else { return }
        valueFiles = content.u64(at: 16)
        valueBytes = content.u64(at: 24)
    }
}
