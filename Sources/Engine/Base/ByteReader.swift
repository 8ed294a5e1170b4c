/// The reason why a structure can't be parsed. The caller adds file and offset to the error that it throws.
package struct ParseFailure: Error {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// A checked reader for bytes that came from a file: every read is bounded, nothing traps.
///
/// It serves parsers whose speed is not critical (manifest, footers, directories, log headers). Hot decoders validate a
/// structure once and then use ``Bytes``.
package struct ByteReader {
    package let bytes: Bytes
    package private(set) var offset: Int

    package init(_ bytes: Bytes, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    package var remaining: Int { bytes.count - offset }
    package var isAtEnd: Bool { offset >= bytes.count }

    private mutating func take(_ length: Int, _ what: StaticString) throws(ParseFailure) -> Int {
        guard length >= 0, length <= bytes.count - offset else { throw ParseFailure("\(what) is cut short") }
        defer { offset += length }
        return offset
    }

    package mutating func u8(_ what: StaticString = "a field") throws(ParseFailure) -> UInt8 {
        bytes[try take(1, what)]
    }

    package mutating func u16(_ what: StaticString = "a field") throws(ParseFailure) -> UInt16 {
        bytes.u16(at: try take(2, what))
    }

    package mutating func u32(_ what: StaticString = "a field") throws(ParseFailure) -> UInt32 {
        bytes.u32(at: try take(4, what))
    }

    package mutating func u64(_ what: StaticString = "a field") throws(ParseFailure) -> UInt64 {
        bytes.u64(at: try take(8, what))
    }

    package mutating func i64(_ what: StaticString = "a field") throws(ParseFailure) -> Int64 {
        Int64(bitPattern: try u64(what))
    }

    package mutating func slice(_ length: Int, _ what: StaticString = "a field") throws(ParseFailure) -> Bytes {
        bytes.slice(try take(length, what), length)
    }

    /// Reads a byte string preceded by its u32 length; throws if it is longer than `limit`.
    package mutating func string32(limit: Int, _ what: StaticString) throws(ParseFailure) -> [UInt8] {
        let length = Int(try u32(what))
        guard length <= limit else { throw ParseFailure("\(what) is \(length) bytes, over the limit of \(limit)") }
        return try slice(length, what).array()
    }
}

extension [UInt16: ByteReader] {
    /// Returns the field with a tag.
    package func field(_ tag: UInt16) throws(ParseFailure) -> ByteReader {
        // Not an optional: Swift 6.2 without optimisation takes an empty one of a dictionary for one with a value.
        guard keys.contains(tag) else { throw ParseFailure("a field is missing") }
        return self[tag, default: ByteReader(.empty)]
    }
}
