import Shale
import ShaleBase
import ShalePlatform

/// Encodes the frames of a stream into a buffer, which the caller writes and empties after each frame. Used by one
/// thread.
final class BackupStreamWriter {
    /// The bytes that the caller has not taken yet. Their count is bounded by a frame.
    private(set) var output = ByteBuffer()
    private let file: UInt64
    private var key: StreamKey?
    /// The position of `output` in the stream.
    private var offset: UInt64 = 0
    /// The content of the frame that is being encrypted.
    private var plain = ByteBuffer()
    private var sealed: [UInt8] = []

    /// Begins a stream, with a random id.
    init(_ encryption: StoreEncryption?, hasValues: Bool) throws(StorageError) {
        let id: [UInt8]
        do { id = try SecretMemory.randomBytes(BackupStreamFormat.idBytes) } catch { throw error.storageError }
        file = BackupStreamFormat.checksumFile(id)
        output.append(BackupStreamFormat.magic)
        output.append(BackupStreamFormat.version)
        output.append(
            (encryption == nil ? 0 : BackupStreamFormat.encryptedFlag)
                | (hasValues ? BackupStreamFormat.valuesFlag : 0))
        output.append(id)
        output.extend(24).zero(0, 24)
        output.append(Checksum.of(output.bytes, file: 0, offset: 0))
        guard let encryption else { return }
        let made = try StreamKey.make(encryption, stream: id, header: output.bytes.array())
        // This frame is not encrypted with the key that it carries.
        try append(.key) { (buffer) throws(StorageError) in buffer.append(made.sealed) }
        key = made.key
    }

    /// Marks `output` as taken.
    func takeOutput() {
        offset += UInt64(output.count)
        output.removeAll()
    }

    /// Appends a frame whose content `encode` appends to a buffer: at most 1 MiB.
    func append(
        _ type: BackupStreamFormat.Frame, _ encode: (inout ByteBuffer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let start = output.count
        _ = output.extend(BackupStreamFormat.frameHeaderBytes)
        if let key {
            plain.removeAll()
            try encode(&plain)
            sealed.removeAll(keepingCapacity: true)
            try key.seal(
                plain.bytes, at: offset + UInt64(start), type: type.rawValue, appendingTo: &sealed)
            output.append(sealed)
        } else {
            try encode(&output)
        }
        let frame = output.mutableBytes.suffix(from: start)
        frame.store(UInt32(frame.count - BackupStreamFormat.frameHeaderBytes), at: 8)
        frame.store(UInt32(type.rawValue), at: 12)
        frame.store(
            Checksum.of(frame.bytes.suffix(from: 8), file: file, offset: offset + UInt64(start)), at: 0)
    }

    /// Appends a frame with at most `limit` bytes of a file, from `position` on. Returns their number.
    ///
    /// - Throws: `.corruption` at the end of the file.
    func appendData(
        of file: any ReadableFile, at position: UInt64, limit: UInt64
    ) throws(StorageError) -> UInt64 {
        var count = 0
        try append(.data) { (buffer) throws(StorageError) in
            let before = buffer.count
            let room = buffer.extend(Int(min(limit, UInt64(BackupStreamFormat.contentBytesMax))))
            do throws(IOFailure) {
                count = try file.read(into: room, at: position)
            } catch {
                throw error.storageError
            }
            guard count > 0 else {
                throw .corruption("the file is shorter than recorded", file: file.name, offset: position)
            }
            buffer.count = before + count
        }
        return UInt64(count)
    }
}
