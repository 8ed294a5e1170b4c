import Shale
import ShaleBase
import ShalePlatform

/// Takes a stream apart into frames, and checks each before it passes it on. Its memory is bounded by two frames and
/// the piece that the source delivered last.
struct BackupStreamReader: ~Copyable {
    /// Returns the next bytes of the stream, of any count; none at its end.
    typealias Source = () throws(StorageError) -> [UInt8]

    /// A frame. `content` is valid until the next one is read.
    struct Frame {
        let type: BackupStreamFormat.Frame
        let content: Bytes
        let offset: UInt64
    }

    private var piece: [UInt8] = []
    private var taken = 0
    /// The number of bytes read so far.
    private(set) var offset: UInt64 = 0
    private var file: UInt64 = 0
    private var key: StreamKey?
    /// True if the stream has value files.
    private(set) var hasValues = false
    private let frame = OwnedBytes(
        count: BackupStreamFormat.frameHeaderBytes + BackupStreamFormat.contentBytesMax
            + BackupStreamFormat.sealBytesMax)
    private var opened: [UInt8] = []
    private let content = OwnedBytes(count: BackupStreamFormat.contentBytesMax)

    // MARK: Header

    /// Reads the header and, if the stream is encrypted, its key.
    mutating func begin(_ options: BackupStreamOptions, _ read: Source) throws(StorageError) {
        guard try fill(frame.mutable.slice(0, BackupStreamFormat.headerBytes), read) else {
            throw StorageError(.invalidArgument, "the input is not a backup: it is shorter than a header")
        }
        let header = frame.bytes.slice(0, BackupStreamFormat.headerBytes).array()
        let flags = try checkHeader(frame.bytes)
        let id = Array(header[16..<16 + BackupStreamFormat.idBytes])
        file = BackupStreamFormat.checksumFile(id)
        hasValues = flags & BackupStreamFormat.valuesFlag != 0
        guard flags & BackupStreamFormat.encryptedFlag != 0 else {
            // An attacker who can replace the stream could replace it by one that is not authenticated.
            guard options.encryption == nil || options.acceptsUnencrypted else {
                throw StorageError(.authenticationFailed, "the stream is not encrypted, although a key was given")
            }
            return
        }
        guard let encryption = options.encryption else {
            throw StorageError(.missingKey, "the stream is encrypted, and no key was given")
        }
        let sealed = try next(.key, read)
        do throws(StorageError) {
            key = try StreamKey(opening: sealed.content, encryption, stream: id, header: header)
        } catch {
            throw error.code == .corruption
                ? StorageError(.corruption, error.message, offset: sealed.offset, cause: error.cause) : error
        }
    }

    private func checkHeader(_ header: Bytes) throws(StorageError) -> UInt32 {
        guard header.u64(at: 0) == BackupStreamFormat.magic else {
            throw StorageError(.invalidArgument, "the input is not a backup: it has another beginning")
        }
        let sum = Checksum.of(header.slice(0, BackupStreamFormat.headerBytes - 8), file: 0, offset: 0)
        guard header.u64(at: BackupStreamFormat.headerBytes - 8) == sum else {
            throw BackupStreamFormat.damage("the header fails its checksum", at: 0)
        }
        let version = header.u32(at: 8)
        let flags = header.u32(at: 12)
        let known = BackupStreamFormat.encryptedFlag | BackupStreamFormat.valuesFlag
        guard version == BackupStreamFormat.version, flags & ~known == 0 else {
            throw StorageError(
                .newerFormat, "the stream has an unknown format=\(version) flags=\(flags)", offset: 8)
        }
        return flags
    }

    // MARK: Frames

    /// Returns the next frame, which must be of a type.
    mutating func next(_ type: BackupStreamFormat.Frame, _ read: Source) throws(StorageError) -> Frame {
        let frame = try next(read)
        guard frame.type == type else { throw BackupStreamReader.unexpected(frame) }
        return frame
    }

    static func unexpected(_ frame: Frame) -> StorageError {
        BackupStreamFormat.damage("a frame of type \(frame.type.rawValue) is out of order", at: frame.offset)
    }

    mutating func next(_ read: Source) throws(StorageError) -> Frame {
        let start = offset
        let header = frame.mutable.slice(0, BackupStreamFormat.frameHeaderBytes)
        guard try fill(header, read) else { throw cut() }
        let length = Int(header.bytes.u32(at: 8))
        guard length <= frame.count - BackupStreamFormat.frameHeaderBytes else {
            throw BackupStreamFormat.damage("a frame is too long", at: start)
        }
        guard try fill(frame.mutable.slice(BackupStreamFormat.frameHeaderBytes, length), read) else { throw cut() }
        let bytes = frame.bytes.slice(0, BackupStreamFormat.frameHeaderBytes + length)
        guard bytes.u64(at: 0) == Checksum.of(bytes.suffix(from: 8), file: file, offset: start) else {
            throw BackupStreamFormat.damage("a frame fails its checksum", at: start)
        }
        guard let type = UInt8(exactly: bytes.u32(at: 12)).flatMap(BackupStreamFormat.Frame.init) else {
            throw BackupStreamFormat.damage("a frame has an unknown type", at: start)
        }
        let payload = bytes.suffix(from: BackupStreamFormat.frameHeaderBytes)
        return Frame(type: type, content: try open(payload, type, at: start), offset: start)
    }

    private mutating func open(
        _ payload: Bytes, _ type: BackupStreamFormat.Frame, at start: UInt64
    ) throws(StorageError) -> Bytes {
        guard let key else {
            guard payload.count <= BackupStreamFormat.contentBytesMax else {
                throw BackupStreamFormat.damage("a frame is too long", at: start)
            }
            return payload
        }
        opened.removeAll(keepingCapacity: true)
        guard try key.open(payload, at: start, type: type.rawValue, appendingTo: &opened) else {
            throw StorageError(
                .authenticationFailed, "the stream was changed since it was encrypted", offset: start)
        }
        guard opened.count <= content.count else {
            throw BackupStreamFormat.damage("a frame is too long", at: start)
        }
        opened.withBytes { content.mutable.copy($0, at: 0) }
        return content.bytes.slice(0, opened.count)
    }

    /// Throws unless the stream ends here.
    mutating func requireEnd(_ read: Source) throws(StorageError) {
        guard try !fill(frame.mutable.slice(0, 1), read) else {
            throw BackupStreamFormat.damage("bytes follow its end", at: offset - 1)
        }
    }

    private func cut() -> StorageError { BackupStreamFormat.damage("it ends before its last frame", at: offset) }

    /// Fills `target` with the next bytes. Returns false if the stream ends before.
    private mutating func fill(_ target: MutableBytes, _ read: Source) throws(StorageError) -> Bool {
        var filled = 0
        while filled < target.count {
            if taken == piece.count {
                piece = try read()
                taken = 0
                if piece.isEmpty { return false }
            }
            let count = min(target.count - filled, piece.count - taken)
            let start = taken
            piece.withBytes { target.copy($0.slice(start, count), at: filled) }
            filled += count
            taken += count
            offset += UInt64(count)
        }
        return true
    }
}
