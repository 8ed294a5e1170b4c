package import ShaleBase

/// The format of value files. On disk, do not change: DESIGN.md, "Value files".
package enum ValueFileFormat {
    /// "SHALEVAL" read as a little-endian word.
    private static let magic: UInt64 = 0x4C41_5645_4C41_4853
    private static let version: UInt32 = 1
    package static let headerBytes = 64
    /// The bytes of a record before its value.
    package static let recordHeaderBytes = 24
    /// The size of the chunks that are hashed each on its own. The last chunk of a value may be shorter.
    package static let chunkBytes = 64 << 10

    /// Returns the bytes that a value of `count` bytes takes in a file.
    package static func recordBytes(_ count: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: recordHeaderBytes &+ count &+ tableBytes(count))
    }

    /// Returns the bytes of the chunk table of a value of `count` bytes. A value of one chunk has no table.
    package static func tableBytes(_ count: Int) -> Int {
        count <= chunkBytes ? 0 : 8 &* ((count &+ chunkBytes &- 1) / chunkBytes)
    }

    /// The offset of the first record.
    package static var start: UInt64 { UInt64(headerBytes) }

    /// The offset of the value in the first record.
    package static var firstValue: UInt64 { UInt64(headerBytes &+ recordHeaderBytes) }

    static func encodeHeader(into target: MutableBytes, number: UInt64) {
        target.zero(0, headerBytes)
        target.store(magic, at: 0)
        target.store(version, at: 8)
        target.store(number, at: 16)
        target.store(Checksum.of(target.bytes.slice(0, 56), file: number, offset: 0), at: 56)
    }

    /// Checks the header of file `number`. `path` names the file in errors.
    ///
    /// - Throws: `.newerFormat` for an unknown version or required feature, `.corruption` for any other difference from
    ///   what was written.
    package static func checkHeader(_ bytes: Bytes, number: UInt64, path: String) throws(StorageError) {
        func corruption(_ what: String, _ offset: UInt64) -> StorageError {
            .corruption("value file: \(what)", file: path, offset: offset)
        }
        guard bytes.count >= headerBytes else { throw corruption("the header is cut short", UInt64(bytes.count)) }
        guard bytes.u64(at: 0) == magic else { throw corruption("not a value file", 0) }
        guard bytes.u64(at: 56) == Checksum.of(bytes.slice(0, 56), file: number, offset: 0) else {
            throw corruption("the header fails its checksum", 56)
        }
        guard bytes.u32(at: 8) == version, bytes.u32(at: 12) == 0 else {
            throw StorageError(
                .newerFormat,
                "the value file has an unknown format=\(bytes.u32(at: 8)) features=\(bytes.u32(at: 12))", file: path,
                offset: 8)
        }
    }

    /// Encodes the header of the record at `offset`, and returns the reference to its value.
    static func encodeRecordHeader(
        into target: MutableBytes, hash: UInt64, count: Int, file: UInt64, offset: UInt64
    ) -> ValueReference {
        let reference = ValueReference(
            file: file, offset: offset &+ UInt64(recordHeaderBytes), count: count,
            checksum: hash &+ Checksum.place(file, offset &+ UInt64(recordHeaderBytes)))
        target.store(reference.checksum, at: 0)
        target.store(UInt64(truncatingIfNeeded: count), at: 8)
        target.store(Checksum.of(target.bytes.slice(0, 16), file: file, offset: offset), at: 16)
        return reference
    }

    /// Returns the reference in the header of the record at `offset`; `nil` if no record begins there.
    package static func decodeRecordHeader(_ bytes: Bytes, file: UInt64, offset: UInt64) -> ValueReference? {
        guard bytes.count >= recordHeaderBytes,
            bytes.u64(at: 16) == Checksum.of(bytes.slice(0, 16), file: file, offset: offset),
            bytes.u64(at: 8) <= UInt64(FormatLimits.streamedValueBytes)
        else { return nil }
        return ValueReference(
            file: file, offset: offset + UInt64(recordHeaderBytes), count: Int(bytes.u64(at: 8)),
            checksum: bytes.u64(at: 0))
    }
}

/// The names of value files: ten decimal digits or more and `.val`.
package enum ValueFileName {
    package static func make(_ number: UInt64) -> String { number.fileNumberDigits + ".val" }
}
