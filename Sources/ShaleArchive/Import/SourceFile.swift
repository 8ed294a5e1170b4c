import Foundation
package import ShaleBase

/// A file that somebody wants imported: regular and readable, or an error that says what is wrong with it.
package enum SourceFile {
    /// The size in bytes of the regular file at `path`, which is not opened.
    package static func size(of path: String) throws(StorageError) -> Int {
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfItem(atPath: path)
        } catch {
            throw failure(path, error)
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular, let size = attributes[.size] as? Int else {
            throw StorageError(.invalidArgument, "not a regular file", file: path)
        }
        return size
    }

    /// What `cause`, met on the way to the bytes of `path`, is to who wanted them.
    package static func failure(_ path: String, _ cause: any Error) -> StorageError {
        let isMissing = !FileManager.default.fileExists(atPath: path)
        return StorageError(isMissing ? .missing : .ioFailure, "a file can't be read", file: path, cause: cause)
    }
}
