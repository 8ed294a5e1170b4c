import ShaleBase
import ShalePlatform

/// A segment's file: opened when it is read, closed when others need its place among the open files. Thread-safe.
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

    /// For error messages.
    var path: String { FileName.join(directory.path, name) }

    /// Fills `target` from `offset`.
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
