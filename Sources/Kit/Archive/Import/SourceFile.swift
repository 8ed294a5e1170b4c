import Foundation
package import ShaleBase

/// Checks that a file to import is regular and readable, and reports why if it is not.
package enum SourceFile {
    /// Returns the size in bytes of the regular file at `path`, without opening it.
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

    /// Returns the error for a failure to read `path`, where `cause` is the error of Foundation.
    ///
    /// The result depends only on `cause`. A check whether the file exists would report a file as missing if its
    /// directory can't be searched.
    package static func failure(_ path: String, _ cause: any Error) -> StorageError {
        let code: StorageError.Code =
            switch (cause as? CocoaError)?.code {
            case .fileNoSuchFile?, .fileReadNoSuchFile?: .missing
            case .fileReadNoPermission?, .fileWriteNoPermission?: .locked
            default: .ioFailure
            }
        return StorageError(code, "the file can't be read", file: path, cause: cause)
    }
}
