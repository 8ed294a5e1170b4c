import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Splits pieces of text into lines.
struct LineSplitter: ~Copyable {
    private var rest = ByteBuffer()
    private(set) var lineNumber: UInt64 = 0
    /// The limit for a line of a dump: a value in base64, a key, and the members around them.
    private static var lineBytesMax: Int { 4 * FormatLimits.valueBytes }

    /// Passes every line that ends in `piece` to `body`, without its line feed, with its number. Skips empty lines.
    mutating func add(_ piece: [UInt8], _ body: (Bytes, UInt64) throws(StorageError) -> Void) throws(StorageError) {
        let span = unsafe piece.span.bytes
        try unsafe span.withUnsafeBytes { (buffer) throws(StorageError) in
            let bytes = unsafe Bytes(buffer)
            var start = 0
            while let end = bytes.index(of: 0x0a, from: start) {
                lineNumber += 1
                let part = bytes.slice(start, end - start)
                if rest.count > 0 {
                    rest.append(part)
                    try body(rest.bytes, lineNumber)
                    rest.removeAll()
                } else if !part.isEmpty {
                    try body(part, lineNumber)
                }
                start = end + 1
            }
            rest.append(bytes.suffix(from: start))
            guard rest.count <= LineSplitter.lineBytesMax else {
                throw .invalid("line \(lineNumber + 1) is too long")
            }
        }
    }

    /// Passes the last line to `body` if it does not end in a line feed.
    mutating func finish(_ body: (Bytes, UInt64) throws(StorageError) -> Void) throws(StorageError) {
        guard rest.count > 0 else { return }
        lineNumber += 1
        try body(rest.bytes, lineNumber)
    }
}

extension Bytes {
    /// Returns the index of the first `byte` at or after `start`.
    func index(of byte: UInt8, from start: Int) -> Int? {
        guard start < count, let found = unsafe memchr(self.start + start, Int32(byte), count - start) else {
            return nil
        }
        return unsafe UnsafeRawPointer(found) - self.start
    }
}
