import ShaleBase
import ShaleSegment

extension FuzzTarget {
    /// Input: length of the code u32, value length u16, a stored value code, a stored value.
    static let valueCode = FuzzTarget("value-code", "segment: value code", seeds: { ValueCodeTarget.seeds() }) {
        try ValueCodeTarget.run($0)
    }
}

private enum ValueCodeTarget {
    static func run(_ input: [UInt8]) throws {
        guard let codeBytes = input.word(UInt32.self, at: 0), let count = input.word(UInt16.self, at: 4),
            Int(codeBytes) <= input.count - 6, count < .max
        else { return }
        let stored = OwnedBytes(Array(input.dropFirst(6).prefix(Int(codeBytes))))
        let rest = Array(input.dropFirst(6 + Int(codeBytes)).prefix(1 << 14))
        let code: ValueCode
        do throws(ParseFailure) { code = try ValueCode(parsing: stored.bytes) } catch { return }
        var output = ByteBuffer()
        code.encode(to: &output)
        try require(output.bytes == stored.bytes, "a value code has two stored forms")
        // The content is not checked: a changed value may be another valid one.
        _ = decode(rest, count: Int(count), code)
        try checkRoundTrip(rest, code)
    }

    private static func checkRoundTrip(_ value: [UInt8], _ code: ValueCode) throws(FuzzFinding) {
        let content = OwnedBytes(value)
        var encoder = ValueEncoder(code)
        var output = ByteBuffer()
        encoder.append(content.bytes, to: &output)
        try require(decode(output.bytes.array(), count: value.count, code) == value, "a value does not come back")
    }

    /// Returns the value, or `nil` if the code refuses its stored form. Memory of the exact size shows every access out
    /// of bounds to the address sanitizer.
    private static func decode(_ stored: [UInt8], count: Int, _ code: ValueCode) -> [UInt8]? {
        let input = OwnedBytes(stored + [UInt8](repeating: 0, count: ValueCode.slackBytes))
        let target = OwnedBytes(count: count + ValueCode.slackBytes)
        do throws(ParseFailure) {
            try code.decode(input.bytes.slice(0, stored.count), count: count, into: target.mutable)
        } catch {
            return nil
        }
        return target.bytes.slice(0, count).array()
    }

    /// Codes of texts with and without a dictionary, plain and with prefix codes, each with a value.
    static func seeds() -> [[UInt8]] {
        let text = "a value of a segment, and another value of the segment; "
        return ["", "another segment", text + text].flatMap { dictionary in
            [false, true].flatMap { isPlain in
                let code = code(Array(dictionary.utf8), sample: isPlain ? nil : Array(text.utf8))
                return [
                    "", "x", "the value of another segment", String(repeating: "ab", count: 300), text + "?!" + text,
                    "größer: " + text,
                ].map { seed(Array($0.utf8), code) }
            }
        }
    }

    /// Returns a code with prefix codes for a sample, or the plain one.
    private static func code(_ dictionary: [UInt8], sample: [UInt8]?) -> ValueCode {
        let dictionary = OwnedBytes(dictionary)
        guard let sample else { return ValueCode(plain: dictionary.bytes) }
        var trainer = ValueCodeTrainer(dictionary: dictionary.bytes)
        let content = OwnedBytes(sample)
        trainer.add(content.bytes)
        return trainer.finish()
    }

    private static func seed(_ value: [UInt8], _ code: ValueCode) -> [UInt8] {
        let content = OwnedBytes(value)
        var stored = ByteBuffer()
        code.encode(to: &stored)
        var seed: [UInt8] = []
        seed.append(word: UInt32(stored.count))
        seed.append(word: UInt16(value.count))
        var encoder = ValueEncoder(code)
        encoder.append(content.bytes, to: &stored)
        return seed + stored.bytes.array()
    }
}
