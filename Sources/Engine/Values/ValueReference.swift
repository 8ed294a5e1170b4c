package import ShaleBase

/// The place of a value in a value file, which stands for the value in logs, memtables and segments.
///
/// On disk, do not change: DESIGN.md, "References".
package struct ValueReference: Equatable, Sendable {
    package static var encodedBytes: Int { FormatLimits.referenceBytes }

    /// The number of the value file.
    package let file: UInt64
    /// The offset of the value's first byte.
    package let offset: UInt64
    /// The length of the value in bytes.
    package let count: Int
    /// The hash of the value's ``ValueDigest`` at its place.
    package let checksum: UInt64

    package init(file: UInt64, offset: UInt64, count: Int, checksum: UInt64) {
        self.file = file
        self.offset = offset
        self.count = count
        self.checksum = checksum
    }

    /// Decodes bytes of unknown origin.
    ///
    /// - Throws: `ParseFailure` if length, file number, offset or count are out of bounds.
    package init(decoding bytes: Bytes) throws(ParseFailure) {
        guard bytes.count == ValueReference.encodedBytes else {
            throw ParseFailure("a reference to a value has \(bytes.count) bytes")
        }
        file = bytes.u64(at: 0)
        offset = bytes.u64(at: 8)
        count = Int(bytes.u32(at: 16))
        checksum = bytes.u64(at: 20)
        guard file > 0, file <= FormatLimits.fileNumber, count <= FormatLimits.streamedValueBytes,
            offset >= ValueFileFormat.start + UInt64(ValueFileFormat.recordHeaderBytes),
            offset <= FormatLimits.segmentTotal
        else { throw ParseFailure("a reference to a value is out of bounds") }
    }

    /// Decodes a reference that is stored in the place of a value. Throws `.corruption` if it is out of bounds.
    package init(stored bytes: Bytes) throws(StorageError) {
        do { try self.init(decoding: bytes) } catch { throw .corruption(error.reason) }
    }

    /// Encodes the reference into exactly ``encodedBytes`` bytes.
    package func encode(into target: MutableBytes) {
        target.store(file, at: 0)
        target.store(offset, at: 8)
        target.store(UInt32(truncatingIfNeeded: count), at: 16)
        target.store(checksum, at: 20)
    }

    /// The offset after the value, where its chunk table begins if it has one.
    package var tableOffset: UInt64 { offset + UInt64(count) }

    /// The offset after the value's record.
    package var end: UInt64 { tableOffset + UInt64(ValueFileFormat.tableBytes(count)) }

    /// The bytes that the value takes in its file, with the record's header and chunk table.
    package var recordBytes: UInt64 { ValueFileFormat.recordBytes(count) }

    /// True if `value` is what the reference was made for.
    package func matches(_ value: Bytes) -> Bool {
        value.count == count && matches(ValueDigest(of: value).hash)
    }

    /// True if a digest with this hash is that of the value.
    func matches(_ hash: UInt64) -> Bool { hash &+ Checksum.place(file, offset) == checksum }
}
