/// The format of a small file that is written as a whole: a header, the content and a checksum.
///
/// On disk, do not change: magic 8 bytes | format u32 (1) | 0 u32 | length u64 | content | checksum of all before u64.
package struct CheckedFile: Sendable {
    private static let format: UInt32 = 1
    package static let headerBytes = 24
    /// The size of header and checksum together.
    package static let overheadBytes = headerBytes + 8

    /// Eight bytes.
    private let magic: [UInt8]

    package init(magic: StaticString) { self.magic = Array("\(magic)".utf8) }

    /// True if `bytes` begin with this file type's magic.
    package func claims(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }

    package func wrap(_ content: [UInt8]) -> [UInt8] {
        var buffer = ByteBuffer(capacity: content.count + CheckedFile.overheadBytes)
        buffer.append(magic)
        buffer.append(CheckedFile.format)
        buffer.append(0 as UInt32)
        buffer.append(UInt64(content.count))
        buffer.append(content)
        buffer.append(Checksum.of(buffer.bytes, file: 0, offset: 0))
        return buffer.bytes.array()
    }

    /// Verifies a whole file and returns its content.
    ///
    /// - Throws: `.corruption` if `bytes` are not one whole file of this type, `.newerFormat` if this version does
    ///   not know the file's format.
    package func unwrap(_ bytes: [UInt8], file: String) throws(StorageError) -> [UInt8] {
        try unsafe bytes.span.bytes.withUnsafeBytes { (buffer) throws(StorageError) in
            do throws(ParseFailure) {
                return try parse(unsafe Bytes(buffer))
            } catch {
                // A newer format may keep its checksum elsewhere, so the format is read before the checksum is
                // verified.
                if let format = newerFormat(unsafe Bytes(buffer)) {
                    throw StorageError(
                        .newerFormat, "the file has format \(format), which this version does not know", file: file,
                        offset: 8)
                }
                // The checksum covers the whole file, so the error names offset 0.
                throw .corruption("the file is not valid: \(error.reason)", file: file, offset: 0)
            }
        }
    }

    private func newerFormat(_ bytes: Bytes) -> UInt32? {
        guard bytes.count >= CheckedFile.headerBytes, bytes.slice(0, magic.count).array() == magic else { return nil }
        let format = bytes.u32(at: magic.count)
        return format > CheckedFile.format && format < 1 << 16 ? format : nil
    }

    private func parse(_ bytes: Bytes) throws(ParseFailure) -> [UInt8] {
        var reader = ByteReader(bytes)
        guard try reader.slice(magic.count, "the magic").array() == magic else {
            throw ParseFailure("the magic is wrong")
        }
        guard try reader.u32("the format") == CheckedFile.format, try reader.u32() == 0 else {
            throw ParseFailure("the header is wrong")
        }
        let length = try reader.u64("the length")
        guard length == UInt64(max(0, reader.remaining - 8)) else { throw ParseFailure("the length is wrong") }
        let content = try reader.slice(Int(length), "the content")
        let sum = Checksum.of(bytes.slice(0, reader.offset), file: 0, offset: 0)
        guard try reader.u64("the checksum") == sum else { throw ParseFailure("the checksum is wrong") }
        return content.array()
    }
}
