/// Makes a record from one JSON text: an object with the key fields.
struct JSONObjectRecord {
    let shape: RecordShape
    private let keyNames: [[UInt8]]
    private let purgeableName: [UInt8]?

    init(_ shape: RecordShape) {
        self.shape = shape
        keyNames = shape.keyFields.map { Array($0.utf8) }
        purgeableName = shape.purgeableField.map { Array($0.utf8) }
    }

    func make(of text: [UInt8], into record: inout Record, at place: @autoclosure () -> String) throws {
        let compact: JSONCompactor
        do {
            compact = try JSONCompactor(text)
        } catch let problem as JSONCompactor.Problem {
            throw ToolFailure.badInput("\(place()), byte \(problem.offset + 1): \(problem.message)")
        }
        guard compact.output.first == UInt8(ascii: "{") else {
            throw ToolFailure.badInput("\(place()) is not a JSON object")
        }
        record.key = try shape.key(
            keyNames.map { name in compact.members.last { $0.name == name }.map { keyText(compact.output[$0.value]) } },
            at: place())
        record.purgeable = nil
        guard let purgeableName, let member = compact.members.last(where: { $0.name == purgeableName }) else {
            record.value = .json(compact.output)
            return
        }
        record.purgeable = value(compact.output[member.value])
        record.value = .json(Self.object(compact, without: purgeableName))
    }

    /// Returns a key's part for a JSON value: the text of a string, and the JSON text of any other value.
    private func keyText(_ json: ArraySlice<UInt8>) -> [UInt8] {
        json.first == UInt8(ascii: "\"") ? JSONCompactor.unescaped(json) : Array(json)
    }

    private func value(_ json: ArraySlice<UInt8>) -> ImportedValue {
        json.first == UInt8(ascii: "\"")
            ? .string(String(decoding: JSONCompactor.unescaped(json), as: UTF8.self)) : .json(Array(json))
    }

    private static func object(_ compact: JSONCompactor, without name: [UInt8]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for member in compact.members where member.name != name {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: compact.output[member.range])
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}

/// Reads newline-delimited JSON: an object on every line that is not blank.
struct JSONLinesReader: RecordReader {
    private var lines: LineReader
    private let maker: JSONObjectRecord

    init(_ stream: ByteStream, shape: RecordShape) {
        lines = LineReader(stream)
        maker = JSONObjectRecord(shape)
    }

    mutating func next(_ record: inout Record) throws -> Bool {
        while try lines.next() {
            let line = lines.buffer[lines.line]
            if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            let place = "\(lines.stream.name): line \(lines.number)"
            try maker.make(of: Array(line), into: &record, at: place)
            return true
        }
        return false
    }
}
