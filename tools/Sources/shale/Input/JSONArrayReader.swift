/// Reads the elements of a JSON array, one at a time. The array is the whole text, or a member of the object that is
/// the whole text (as in iso-codes' files).
///
/// Only one element is in memory at a time. The text outside of the elements is checked as strictly as the elements,
/// including members that are not imported.
struct JSONArrayReader: RecordReader {
    private enum State {
        case start
        case inArray(isFirst: Bool)
        case end
    }

    private let stream: ByteStream
    private let arrayName: String?
    private let maker: JSONObjectRecord
    private var buffer: [UInt8] = []
    private var position = 0
    private var state = State.start
    private var isInObject = false
    private var hasFoundArray = false
    private var elements = 0
    private var element: [UInt8] = []

    /// `arrayName` names the member of the outer object that is the array. Without it there must be exactly one array.
    init(_ stream: ByteStream, arrayName: String?, shape: RecordShape) {
        self.stream = stream
        self.arrayName = arrayName
        maker = JSONObjectRecord(shape)
    }

    mutating func next(_ record: inout Record) throws -> Bool {
        if case .start = state { try begin() }
        guard case .inArray(let isFirst) = state else { return false }
        var byte = try nextToken()
        if byte == UInt8(ascii: "]") {
            position += 1
            try endArray()
            return false
        }
        if !isFirst {
            guard byte == UInt8(ascii: ",") else { throw unexpected("between two elements") }
            position += 1
            byte = try nextToken()
        }
        elements += 1
        try collectValue()
        state = .inArray(isFirst: false)
        try maker.make(of: element, into: &record, at: "\(stream.name): element \(elements)")
        return true
    }

    // MARK: Around the array

    private mutating func begin() throws {
        switch try nextToken() {
        case UInt8(ascii: "["):
            position += 1
            state = .inArray(isFirst: true)
        case UInt8(ascii: "{"):
            position += 1
            isInObject = true
            guard try nextToken() == UInt8(ascii: "\"") else { throw unexpected("where a member should be") }
            try walkMembers()
        default:
            throw ToolFailure.badInput("\(stream.name) is neither a JSON array nor an object that holds one")
        }
    }

    private mutating func endArray() throws {
        hasFoundArray = true
        guard isInObject else { return try finish() }
        switch try nextToken() {
        case UInt8(ascii: ","):
            position += 1
            try walkMembers()
        case UInt8(ascii: "}"):
            position += 1
            try finish()
        default: throw unexpected("after the array")
        }
    }

    /// Reads members, starting at a name. Stops inside the wanted array, or at the end of the object.
    private mutating func walkMembers() throws {
        while true {
            guard try nextToken() == UInt8(ascii: "\"") else { throw unexpected("where a member's name should be") }
            let quoted = try collectChecked("a member's name")
            let name = String(decoding: JSONCompactor.unescaped(quoted[...]), as: UTF8.self)
            guard try nextToken() == UInt8(ascii: ":") else { throw unexpected("after a member's name") }
            position += 1
            if try nextToken() == UInt8(ascii: "["), arrayName == nil || arrayName == name {
                guard !hasFoundArray else {
                    throw ToolFailure.badInput("\(stream.name) holds more than one array: name one with --array")
                }
                position += 1
                state = .inArray(isFirst: true)
                return
            }
            _ = try collectChecked("a member that is not imported")
            let byte = try nextToken()
            position += 1
            if byte == UInt8(ascii: "}") { return try finish() }
            guard byte == UInt8(ascii: ",") else { throw unexpected("between two members") }
        }
    }

    private mutating func finish() throws {
        guard hasFoundArray else {
            throw ToolFailure.badInput("\(stream.name) holds no array\(arrayName.map { " named \($0)" } ?? "")")
        }
        state = .end
        if try skipSpace() { throw unexpected("after the end") }
    }

    // MARK: Bytes

    /// Copies the value that starts here to `element`. The value ends where its brackets are closed, or before a
    /// character that can't belong to it. Its syntax is checked later.
    private mutating func collectValue() throws {
        element.removeAll(keepingCapacity: true)
        var depth = 0
        var isInString = false
        while try fill() {
            let byte = buffer[position]
            if isInString {
                if byte == UInt8(ascii: "\\") {
                    append()
                    guard try fill() else { break }
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                append()
                if !isInString, depth == 0 { return }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isInString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if depth == 0 { return }
                    depth -= 1
                case UInt8(ascii: ","), 0x20, 0x0a, 0x0d, 0x09: if depth == 0 { return }
                default: break
                }
                append()
                if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return }
            }
            guard element.count <= InputLimits.recordBytes else {
                throw ToolFailure.badInput("\(stream.name): an element is longer than \(InputLimits.recordBytes) bytes")
            }
        }
        if isInString || depth > 0 { throw endsEarly() }
    }

    /// Returns the value that starts here without white space. Throws if it is not well-formed.
    private mutating func collectChecked(_ what: String) throws -> [UInt8] {
        try collectValue()
        do {
            return try JSONCompactor(element).output
        } catch let problem as JSONCompactor.Problem {
            throw ToolFailure.badInput("\(stream.name): \(what), byte \(problem.offset + 1) of it: \(problem.message)")
        }
    }

    private mutating func append() {
        element.append(buffer[position])
        position += 1
    }

    /// Returns true if there is a byte at `position`. Reads more if there is none.
    private mutating func fill() throws -> Bool {
        if position < buffer.count { return true }
        buffer.removeAll(keepingCapacity: true)
        position = 0
        return try stream.read(into: &buffer)
    }

    private mutating func skipSpace() throws -> Bool {
        while try fill() {
            let byte = buffer[position]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return true }
            position += 1
        }
        return false
    }

    private mutating func nextToken() throws -> UInt8 {
        guard try skipSpace() else { throw endsEarly() }
        return buffer[position]
    }

    private func unexpected(_ place: String) -> ToolFailure {
        .badInput("\(stream.name): unexpected character \(place) (after element \(elements))")
    }

    private func endsEarly() -> ToolFailure {
        .badInput("\(stream.name) ends inside its JSON text (after element \(elements))")
    }
}
