/// Splits a stream into lines without their ends (`\n` or `\r\n`).
///
/// The current line is a range of `buffer`, valid until the next call of `next`. Memory: one chunk and the longest
/// line.
struct LineReader {
    let stream: ByteStream
    private(set) var buffer: [UInt8] = []
    private(set) var line = 0..<0
    /// The number of the current line, from 1.
    private(set) var number = 0
    private var position = 0

    init(_ stream: ByteStream) { self.stream = stream }

    mutating func next() throws -> Bool {
        var scanned = position
        while true {
            if let end = buffer[scanned...].firstIndex(of: 0x0a) {
                take(upTo: end, resumingAt: end + 1)
                return true
            }
            buffer.removeFirst(position)
            position = 0
            scanned = buffer.count
            guard scanned <= InputLimits.recordBytes else {
                throw ToolFailure.badInput(
                    "\(stream.name): line \(number + 1) is longer than \(InputLimits.recordBytes) bytes")
            }
            guard try stream.read(into: &buffer) else {
                guard !buffer.isEmpty else { return false }
                take(upTo: buffer.count, resumingAt: buffer.count)
                return true
            }
        }
    }

    private mutating func take(upTo end: Int, resumingAt next: Int) {
        let hasReturn = end > position && buffer[end - 1] == 0x0d
        line = position..<(hasReturn ? end - 1 : end)
        position = next
        number += 1
    }
}
