/// Reads Debian control stanzas: `Name: value` lines, continuation lines that start with white space, blank lines
/// between stanzas. A stanza becomes a JSON object of strings in the order of its fields. Continuation lines stay
/// unchanged, joined by line feeds.
struct StanzaReader: RecordReader {
    static let defaultKeyFields = ["Package", "Version", "Architecture"]

    private var lines: LineReader
    private let shape: RecordShape
    private let keyNames: [[UInt8]]
    private let purgeableName: [UInt8]?

    private var name: [UInt8] = []
    private var value: [UInt8] = []
    private var json: [UInt8] = []
    private var keyParts: [[UInt8]?]
    private var purgeable: ImportedValue?
    private var isInField = false
    /// The number of fields of the stanza so far.
    private var fields = 0
    /// The number of bytes of the stanza so far.
    private var bytes = 0

    init(_ stream: ByteStream, shape: RecordShape) {
        lines = LineReader(stream)
        self.shape = shape
        keyNames = shape.keyFields.map { Array($0.utf8) }
        purgeableName = shape.purgeableField.map { Array($0.utf8) }
        keyParts = Array(repeating: nil, count: keyNames.count)
    }

    private var place: String { "\(lines.stream.name): the stanza at line \(lines.number)" }

    mutating func next(_ record: inout Record) throws -> Bool {
        json.removeAll(keepingCapacity: true)
        json.append(0x7b)
        for index in keyParts.indices { keyParts[index] = nil }
        purgeable = nil
        fields = 0
        bytes = 0
        var isEmpty = true
        while try lines.next() {
            if lines.line.isEmpty {
                if isEmpty { continue }
                break
            }
            isEmpty = false
            try take()
        }
        guard !isEmpty else { return false }
        try endField()
        json.append(0x7d)
        record.key = try shape.key(keyParts, at: place)
        record.value = .json(json)
        record.purgeable = purgeable
        return true
    }

    private mutating func take() throws {
        let line = lines.line
        bytes += line.count + 1
        guard bytes <= InputLimits.recordBytes else { throw tooLong() }
        let first = lines.buffer[line.lowerBound]
        if first == 0x20 || first == 0x09 {
            guard isInField else { throw ToolFailure.badInput("\(place) starts with a continuation line") }
            value.append(0x0a)
            value.append(contentsOf: lines.buffer[line])
            return
        }
        try endField()
        guard let colon = lines.buffer[line].firstIndex(of: 0x3a), colon > line.lowerBound else {
            throw ToolFailure.badInput("\(lines.stream.name): line \(lines.number) is not \"Name: value\"")
        }
        name.append(contentsOf: lines.buffer[line.lowerBound..<colon])
        var start = colon + 1
        while start < line.upperBound, lines.buffer[start] == 0x20 || lines.buffer[start] == 0x09 { start += 1 }
        value.append(contentsOf: lines.buffer[start..<line.upperBound])
        isInField = true
    }

    private mutating func endField() throws {
        guard isInField else { return }
        fields += 1
        guard fields <= InputLimits.members else {
            throw ToolFailure.badInput("\(place) has more than \(InputLimits.members) fields")
        }
        for index in keyNames.indices where keyNames[index] == name { keyParts[index] = value }
        if name == purgeableName {
            guard let text = String(validating: value, as: UTF8.self) else {
                throw ToolFailure.badInput("\(place) is not UTF-8")
            }
            purgeable = .string(text)
        } else {
            // Escapes make it up to six times longer.
            let added = JSONWriter.quotedCount(of: name) + JSONWriter.quotedCount(of: value) + 2
            guard json.count + added <= InputLimits.recordBytes else { throw tooLong() }
            if json.count > 1 { json.append(0x2c) }
            guard JSONWriter.append(string: name, to: &json), JSONWriter.append(string: value, to: &json, after: 0x3a)
            else {
                throw ToolFailure.badInput("\(place) is not UTF-8")
            }
        }
        name.removeAll(keepingCapacity: true)
        value.removeAll(keepingCapacity: true)
        isInField = false
    }

    private func tooLong() -> ToolFailure {
        .badInput("\(place) is longer than \(InputLimits.recordBytes) bytes")
    }
}

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
