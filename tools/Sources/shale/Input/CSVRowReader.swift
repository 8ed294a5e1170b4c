/// Splits a stream into rows of fields, strictly by RFC 4180.
///
/// Lines end with CRLF or a line feed. A field in quotes may contain delimiters, line ends and doubled quotes. Blank
/// lines between rows are skipped, and so is a byte order mark before the first row. Memory: one chunk and one row.
struct CSVRowReader {
    private enum State {
        case fieldStart, unquoted, quoted
        /// Behind a quote in a quoted field: the field ends, or the quote is doubled.
        case closed
        /// Behind a carriage return: only a line feed may follow.
        case carriageReturn
    }

    private static let quote = UInt8(ascii: "\"")
    private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

    let stream: ByteStream
    /// The fields of the current row, unquoted.
    private(set) var fields: [[UInt8]] = []
    /// The number of the current row, from 1. The row of names counts.
    private(set) var number = 0
    /// The number of the line on which the current row begins, from 1.
    private(set) var line = 0

    private let delimiter: UInt8
    private var buffer: [UInt8] = []
    private var position = 0
    private var field: [UInt8] = []
    private var endedLines = 0

    init(_ stream: ByteStream, delimiter: UInt8) {
        self.stream = stream
        self.delimiter = delimiter
    }

    /// The place of the current row in messages.
    var place: String { "\(stream.name): row \(number) at line \(line)" }

    /// Moves to the next row; returns false at the end. An error ends the reading: where a quote is wrong, the ends of
    /// the following rows are not known.
    mutating func next() throws -> Bool {
        if number == 0 { try skipByteOrderMark() }
        fields.removeAll(keepingCapacity: true)
        field.removeAll(keepingCapacity: true)
        number += 1
        line = endedLines + 1
        var state = State.fieldStart
        var hasQuotes = false
        var bytes = 0
        while let byte = try pop() {
            bytes += 1
            guard bytes <= InputLimits.recordBytes else {
                throw problem("is longer than \(InputLimits.recordBytes) bytes")
            }
            switch (state, byte) {
            case (.quoted, Self.quote): state = .closed
            case (.quoted, _):
                if byte == 0x0a { endedLines += 1 }
                field.append(byte)
            case (.closed, Self.quote):
                field.append(byte)
                state = .quoted
            case (.fieldStart, Self.quote):
                hasQuotes = true
                state = .quoted
            case (_, 0x0a):
                endedLines += 1
                if fields.isEmpty, field.isEmpty, !hasQuotes {
                    line = endedLines + 1
                    state = .fieldStart
                    bytes = 0
                    continue
                }
                try endField()
                return true
            case (.carriageReturn, _): throw problem("has a carriage return outside of quotes")
            case (_, 0x0d): state = .carriageReturn
            case (_, delimiter):
                try endField()
                state = .fieldStart
            case (.closed, _): throw problem("has text between a closing quote and the end of the field")
            case (_, Self.quote): throw problem("has a quote inside a field without quotes")
            case (_, _):
                field.append(byte)
                state = .unquoted
            }
        }
        switch state {
        case .quoted: throw problem("has a quote that is not closed")
        case .carriageReturn: throw problem("has a carriage return outside of quotes")
        case .fieldStart, .unquoted, .closed: break
        }
        guard !fields.isEmpty || !field.isEmpty || hasQuotes else { return false }
        try endField()
        return true
    }

    private mutating func endField() throws {
        guard fields.count < InputLimits.members else {
            throw problem("has more than \(InputLimits.members) fields")
        }
        fields.append(field)
        field.removeAll(keepingCapacity: true)
    }

    private func problem(_ what: String) -> ToolFailure { .badInput("\(place) \(what)") }

    private mutating func pop() throws -> UInt8? {
        if position == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            position = 0
            guard try stream.read(into: &buffer), !buffer.isEmpty else { return nil }
        }
        position += 1
        return buffer[position - 1]
    }

    private mutating func skipByteOrderMark() throws {
        while buffer.count < Self.byteOrderMark.count, try stream.read(into: &buffer) {}
        if buffer.starts(with: Self.byteOrderMark) { position = Self.byteOrderMark.count }
    }
}
