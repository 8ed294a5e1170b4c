import ShaleBase
import ShalePlatform

/// The part of a log's file that is in memory. Windows begin at multiples of their size, which is a multiple of the
/// block size, so no chunk crosses a window.
@safe
final class LogWindow {
    static let sizeMax = 1 << 20
    /// The size for reading what was appended since the last time.
    static let followingBytes = 128 << 10

    /// Valid until the next `load`.
    private(set) var bytes = Bytes.empty
    private(set) var start: UInt64 = 0

    private let file: any ReadableFile
    private let path: String
    private let memory: OwnedBytes

    init(_ file: any ReadableFile, path: String, bytesMax: Int = LogWindow.sizeMax) throws(StorageError) {
        self.file = file
        self.path = path
        do {
            let size = try file.size()
            // A small log gets a window of its own size, so that stores with little data open with little memory.
            let needed = Int(min(size, UInt64(bytesMax)))
            let blocks = max(1, (needed + LogFormat.blockSize - 1) / LogFormat.blockSize)
            memory = OwnedBytes(count: blocks * LogFormat.blockSize)
            file.adviseSequential(offset: 0, count: size)
        } catch {
            throw error.storageError.inFile(path)
        }
    }

    @inline(__always)
    func contains(_ offset: UInt64) -> Bool {
        offset >= start && offset &- start < UInt64(truncatingIfNeeded: bytes.count)
    }

    /// Returns the index of `offset` in `bytes`; at or after their end if the file ends before `offset`.
    @inline(__always)
    func index(of offset: UInt64) -> Int { Int(truncatingIfNeeded: offset &- start) }

    /// Returns the beginning of the block in which the next content at or after `offset` lies.
    func contentOffset(from offset: UInt64) throws(StorageError) -> UInt64 {
        do {
            let found = try file.contentOffset(from: offset)
            return max(offset, found / UInt64(LogFormat.blockSize) * UInt64(LogFormat.blockSize))
        } catch {
            throw error.storageError.inFile(path, at: offset)
        }
    }

    /// Reads the window around `offset`. It is shorter than its size only at the end of the file.
    func load(_ offset: UInt64) throws(StorageError) {
        let size = UInt64(memory.count)
        start = offset / size * size
        do {
            let count = try file.read(into: memory.mutable, at: start)
            bytes = memory.bytes.slice(0, min(max(0, count), memory.count))
        } catch {
            bytes = .empty
            throw error.storageError.inFile(path, at: start)
        }
    }
}
