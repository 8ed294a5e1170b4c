import ShaleBase
import ShalePlatform

/// A segment's file, opened for reads and closed when the pool of open files needs its place. Thread-safe.
final class SegmentFile: Sendable {
    let directory: any Directory
    let number: UInt64
    private let name: String
    private let files: OpenFiles
    private let entry = OpenFiles.Entry()

    init(number: UInt64, directory: any Directory, files: OpenFiles) {
        self.directory = directory
        self.number = number
        self.files = files
        name = SegmentFileName.make(number)
    }

    deinit { files.close(entry) }

    /// The path, for error messages.
    var path: String { FileName.join(directory.path, name) }

    /// Reads exactly `target.count` bytes at `offset`.
    func read(into target: MutableBytes, at offset: UInt64) throws(StorageError) {
        let count: Int
        do {
            count = try handle().read(into: target, at: offset)
        } catch {
            throw error.storageError.inFile(path, at: offset)
        }
        guard count == target.count else {
            throw corruption("the file ends before byte \(offset + UInt64(target.count))", at: offset)
        }
    }

    func size() throws(StorageError) -> UInt64 {
        do {
            return try handle().size()
        } catch {
            throw error.storageError.inFile(path)
        }
    }

    func corruption(_ message: String, at offset: UInt64) -> StorageError {
        .corruption(message, file: path, offset: offset)
    }

    private func handle() throws(IOFailure) -> any ReadableFile {
        try files.handle(of: entry) { () throws(IOFailure) in try directory.open(name) }
    }
}
