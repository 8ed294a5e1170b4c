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

    /// The error for callers that wanted the bytes of `path`, of `cause`, which Foundation threw on the way there.
    ///
    /// The answer depends on `cause` alone. Asking whether the file exists would call a file missing whose directory may
    /// not be searched.
    package static func failure(_ path: String, _ cause: any Error) -> StorageError {
        let code: StorageError.Code =
            switch (cause as? CocoaError)?.code {
            case .fileNoSuchFile?, .fileReadNoSuchFile?: .missing
            case .fileReadNoPermission?, .fileWriteNoPermission?: .locked
            default: .ioFailure
            }
        return StorageError(code, "a file can't be read", file: path, cause: cause)
    }
}
