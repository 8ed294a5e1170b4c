package import ShaleBase
import ShalePlatform

/// The file of a key, of all long keys with one hash, or of all long names of nodes with one hash (``NodeFileName``).
/// On disk, do not change: a ``CheckedFile`` `SHALEVAL` of a ``NameBucket``. Keys have their envelopes as content,
/// names have none.
package enum NodeFile {
    private static let form = CheckedFile(magic: "SHALEVAL")
    private static let bytesMax = CheckedFile.overheadBytes + 8 + NodeLimits.nameBytes + NodeLimits.valueBytes

    package static func bytes(_ bucket: NameBucket) -> [UInt8] { form.wrap(bucket.bytes) }

    /// Throws `.corruption` if the bytes are no such file, `.newerFormat` for another format.
    package static func parse(_ bytes: [UInt8], _ file: String) throws(StorageError) -> NameBucket {
        let content = try form.unwrap(bytes, file: file)
        return try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try NameBucket(parsing: unsafe Bytes(buffer))
            } catch {
                throw .corruption(
                    "the file is not valid: \(error.reason)", file: file, offset: UInt64(CheckedFile.headerBytes))
            }
        }
    }

    /// Returns `nil` if there is no such file.
    static func read(_ file: String, in directory: any Directory) throws(StorageError) -> NameBucket? {
        let bytes: [UInt8]?
        do throws(IOFailure) {
            bytes = try directory.content(of: file, limit: bytesMax)
        } catch {
            guard error.isMissing else { throw error.storageError }
            return nil
        }
        guard let bytes else {
            throw .corruption("the file is longer than any that Shale writes", file: file, offset: 0)
        }
        return try parse(bytes, file)
    }

    /// Writes the file durably. Throws `.invalidArgument` if it would be too large to be read.
    static func write(_ bucket: NameBucket, _ file: String, in directory: any Directory) throws(StorageError) {
        let content = bytes(bucket)
        guard content.count <= bytesMax else {
            throw StorageError(
                .invalidArgument,
                "the values of keys with one hash are \(content.count) bytes, over the limit of \(bytesMax)")
        }
        do throws(IOFailure) {
            try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(IOFailure) in
                try directory.replace(file, with: unsafe Bytes(buffer))
            }
        } catch {
            throw error.storageError
        }
    }
}
