import ShaleBase
import ShalePlatform

/// The file to which a writer appends, in pieces of at least 256 KiB.
struct SegmentOutput: ~Copyable {
    private let file: any WritableFile
    private let path: String
    private var writtenBytes: UInt64 = 0
    private var preallocatedBytes: UInt64 = 0
    /// The bytes that are not written yet; encoders append here.
    var buffer = ByteBuffer(capacity: SegmentOutput.pieceBytes + (64 << 10))

    private static let pieceBytes = 256 << 10

    init(_ file: any WritableFile, path: String) {
        self.file = file
        self.path = path
    }

    /// The file offset of the next byte.
    var offset: UInt64 { writtenBytes + UInt64(buffer.count) }

    /// Reserves space, so that writes below `size` can't run out of space.
    mutating func preallocate(_ size: UInt64) throws(StorageError) {
        do {
            try file.preallocate(size)
        } catch {
            throw error.storageError.inFile(path)
        }
        preallocatedBytes = size
    }

    mutating func writeIfLarge() throws(StorageError) {
        if buffer.count >= SegmentOutput.pieceBytes { try write() }
    }

    private mutating func write() throws(StorageError) {
        do {
            try file.write(buffer.bytes, at: writtenBytes)
        } catch {
            throw error.storageError.inFile(path, at: writtenBytes)
        }
        writtenBytes += UInt64(buffer.count)
        buffer.removeAll()
    }

    /// Writes the rest, frees unused space, makes the content durable and closes the file.
    mutating func finish() throws(StorageError) {
        if buffer.count > 0 { try write() }
        do {
            if preallocatedBytes > writtenBytes { try file.truncate(to: writtenBytes) }
            if !PlantedBug.isActive(.skipSegmentSync) { try file.sync() }
            try file.close()
        } catch {
            throw error.storageError.inFile(path)
        }
    }

    func close() throws(IOFailure) { try file.close() }
}
