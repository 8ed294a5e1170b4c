package import ShaleBase

/// Stored forms of the synchronisation: a byte that names the form, then its fields. A `ByteBuffer` writes them.
package enum StoredForm {
    /// Reads the fields of stored bytes.
    ///
    /// - Throws: `.newerFormat` if they have another form; `.corruption` if they are cut short, too long or empty.
    package static func read<T>(
        _ bytes: RawSpan, form: UInt8, _ what: String, _ parse: (inout ByteReader) throws(ParseFailure) -> T
    ) throws(StorageError) -> T {
        guard !bytes.isEmpty else { throw .corruption("\(what) is empty") }
        guard unsafe bytes.unsafeLoad(as: UInt8.self) == form else {
            throw StorageError(.newerFormat, "a newer version wrote \(what)")
        }
        do throws(ParseFailure) {
            return try unsafe bytes.withUnsafeBytes { (buffer) throws(ParseFailure) in
                var reader = ByteReader(unsafe Bytes(buffer), at: 1)
                let value = try parse(&reader)
                guard reader.isAtEnd else { throw ParseFailure("it is too long") }
                return value
            }
        } catch {
            throw .corruption("\(what) is not valid: \(error.reason)")
        }
    }
}

extension ByteReader {
    /// Reads bytes behind their u32 length.
    package mutating func data(_ what: StaticString) throws(ParseFailure) -> [UInt8] {
        try slice(Int(try u32(what)), what).array()
    }

    /// Reads a text behind its u32 length.
    package mutating func text(_ what: StaticString) throws(ParseFailure) -> String {
        String(decoding: try data(what), as: UTF8.self)
    }

    /// Reads a flag, and if it is set the bytes behind it.
    package mutating func optionalData(_ what: StaticString) throws(ParseFailure) -> [UInt8]? {
        try u8(what) == 0 ? nil : try data(what)
    }
}

extension ByteBuffer {
    /// Appends the u32 length of bytes, and the bytes.
    package mutating func append(data: [UInt8]) {
        append(UInt32(data.count))
        append(data)
    }

    /// Appends a flag for whether there are bytes, and the bytes.
    package mutating func append(optional data: [UInt8]?) {
        append(UInt8(data == nil ? 0 : 1))
        if let data { append(data: data) }
    }
}

extension [UInt8] {
    /// The bytes of a number, so that numbers are ordered as keys.
    package init(bigEndian number: UInt64) {
        self = []
        reserveCapacity(8)
        append(bigEndian: number)
    }

    /// Appends the bytes of a number, so that numbers are ordered as keys.
    package mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}

extension UInt64 {
    /// Parses the first eight bytes; `nil` if there are fewer.
    package init?(bigEndian bytes: some Collection<UInt8>) {
        guard bytes.count >= 8 else { return nil }
        self = bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
