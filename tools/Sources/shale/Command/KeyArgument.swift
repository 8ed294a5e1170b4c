import ArgumentParser
import ShaleEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The form in which keys stand in arguments.
enum KeyForm {
    /// As keys are printed for people: see ``Escaping/bytes(ofEscaped:)``.
    case escaped
    case hex
    /// As in `keyBase64` of a JSON answer.
    case base64
}

struct KeyFormOptions: ParsableArguments {
    @Flag(help: "Keys are given as hexadecimal digits.")
    private var hex = false

    @Flag(help: "Keys are given as base64, as in keyBase64 of a JSON answer.")
    private var base64 = false

    var form: KeyForm { hex ? .hex : base64 ? .base64 : .escaped }

    /// The paragraph of help texts about keys.
    static let explanation = """
        A key is typed as it is printed: \\xNN stands for a byte, \\n, \\r and \\t for
        control characters, and \\\\ for a backslash. --hex and --base64 are other
        forms.
        """

    func validate() throws {
        if hex, base64 { throw ValidationError("--hex and --base64 exclude each other") }
    }
}

/// Keys in arguments.
enum KeyArgument {
    /// Returns the range of keys that the options for a prefix or a range describe.
    static func range(prefix: String?, from: String?, to: String?, _ form: KeyForm) throws -> KeyRange {
        if let prefix { return .prefix(try bytes(prefix, form)) }
        return KeyRange(
            lower: try from.map { .included(try bytes($0, form)) } ?? .unbounded,
            upper: try to.map { .excluded(try bytes($0, form)) } ?? .unbounded)
    }

    /// Returns the bytes of the key that `text` represents.
    static func bytes(_ text: String, _ form: KeyForm) throws -> [UInt8] {
        switch form {
        case .escaped:
            guard let bytes = Escaping.bytes(ofEscaped: Array(text.utf8)) else {
                throw ToolFailure.usage(
                    "in \"\(text)\", a backslash must be followed by xNN, n, r, t or another backslash")
            }
            return bytes
        case .hex: return try hexBytes(text)
        case .base64:
            // The comparison refuses other spellings of the same bytes.
            guard let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
                throw ToolFailure.usage("\"\(text)\" is not base64")
            }
            return Array(data)
        }
    }

    /// Returns the text from which ``bytes(_:_:)`` makes `key`.
    static func text(_ key: [UInt8], _ form: KeyForm) -> Shown {
        switch form {
        case .escaped: Shown(key: key)
        case .hex: Shown(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        case .base64: Shown(Data(key).base64EncodedString())
        }
    }

    private static func hexBytes(_ text: String) throws -> [UInt8] {
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

extension KeyRange {
    /// Returns the range of the keys that lie in both ranges.
    func intersection(_ other: KeyRange) -> KeyRange {
        KeyRange(
            lower: Self.isTighter(lower, than: other.lower, isLower: true) ? lower : other.lower,
            upper: Self.isTighter(upper, than: other.upper, isLower: false) ? upper : other.upper)
    }

    /// Returns true if `bound` leaves no key that `other` excludes.
    private static func isTighter(_ bound: Bound, than other: Bound, isLower: Bool) -> Bool {
        guard let (key, isExcluded) = parts(bound) else { return false }
        guard let (otherKey, _) = parts(other) else { return true }
        if key == otherKey { return isExcluded }
        return otherKey.lexicographicallyPrecedes(key) == isLower
    }

    private static func parts(_ bound: Bound) -> (key: [UInt8], isExcluded: Bool)? {
        switch bound {
        case .unbounded: nil
        case .included(let key): (key, false)
        case .excluded(let key): (key, true)
        }
    }
}
