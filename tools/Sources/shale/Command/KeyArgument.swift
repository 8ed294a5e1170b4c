import ShaleEngine

/// Keys in arguments.
enum KeyArgument {
    /// Returns the range of keys that the options for a prefix or a range describe.
    static func range(prefix: String?, from: String?, to: String?, isHex: Bool) throws -> KeyRange {
        if let prefix { return .prefix(try bytes(prefix, isHex: isHex)) }
        return KeyRange(
            lower: try from.map { .included(try bytes($0, isHex: isHex)) } ?? .unbounded,
            upper: try to.map { .excluded(try bytes($0, isHex: isHex)) } ?? .unbounded)
    }

    /// Returns the UTF-8 of `text`, or with `isHex` the bytes that its hexadecimal digits represent.
    static func bytes(_ text: String, isHex: Bool) throws -> [UInt8] {
        guard isHex else { return Array(text.utf8) }
        let digits = Array(text.utf8)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            guard pair.utf8.count == 2, !pair.hasPrefix("+"), !pair.hasPrefix("-"), let byte = UInt8(pair, radix: 16)
            else {
                throw ToolFailure.usage("\"\(text)\" is not an even number of hexadecimal digits")
            }
            bytes.append(byte)
        }
        return bytes
    }
}
