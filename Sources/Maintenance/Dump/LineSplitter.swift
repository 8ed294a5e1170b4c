import ShaleBase

/// Cuts pieces of text into lines.
struct LineSplitter: ~Copyable {
    private var rest = ByteBuffer()
    private(set) var lineNumber: UInt64 = 0
    /// No line of a dump is longer: a value in base64, a key, and what is around them.
    private static var lineBytesMax: Int { 4 * FormatLimits.valueBytes }

    /// Hands on every line that ends in `piece`, without its line feed, and its number. Empty lines are passed over.
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

    /// The last line, if no line feed ends it.
    mutating func finish(_ body: (Bytes, UInt64) throws(StorageError) -> Void) throws(StorageError) {
        guard rest.count > 0 else { return }
        lineNumber += 1
        try body(rest.bytes, lineNumber)
    }
}
