package import ShaleBase
import ShalePlatform

/// The file of one key. On disk, do not change: a ``CheckedFile`` `SHALEVAL` of length of the key u32 | key | envelope.
package enum NodeFile {
    private static let form = CheckedFile(magic: "SHALEVAL")
    static let bytesMax = CheckedFile.overheadBytes + 4 + NodeLimits.nameBytes + NodeLimits.valueBytes

    package static func bytes(_ key: String, _ envelope: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 4 + key.utf8.count + envelope.count)
        buffer.append(UInt32(key.utf8.count))
        buffer.append(Array(key.utf8))
        buffer.append(envelope)
        return form.wrap(buffer.bytes.array())
    }

    /// Throws `.corruption` for everything that is not such a file, `.newerFormat` for another format.
    package static func parse(_ bytes: [UInt8], _ file: String) throws(StorageError) -> (
        key: [UInt8], envelope: [UInt8]
    ) {
        let content = try form.unwrap(bytes, file: file)
        return try unsafe content.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                var reader = ByteReader(unsafe Bytes(buffer))
                let key = try reader.string32(limit: NodeLimits.nameBytes, "the key")
                return (key, try reader.slice(reader.remaining, "the value").array())
            } catch {
                throw .corruption(
                    "a file is not valid: \(error.reason)", file: file, offset: UInt64(CheckedFile.headerBytes))
            }
        }
    }
}
