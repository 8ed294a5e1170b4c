package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The codes of a ``CompositeKey``'s elements. On disk, do not change: the table is in its documentation.
private enum ElementCode {
    static let end: UInt8 = 0x00
    static let null: UInt8 = 0x01
    static let bytes: UInt8 = 0x02
    static let string: UInt8 = 0x03
    static let key: UInt8 = 0x05
    static let zero: UInt8 = 0x14
    static let double: UInt8 = 0x21
    static let no: UInt8 = 0x26
    static let yes: UInt8 = 0x27
    static let uuid: UInt8 = 0x30
    static let date: UInt8 = 0x38

    /// Begins the two bytes that stand for 0 and for itself.
    static let escape: UInt8 = 0x01
    /// Follows ``escape`` where a string or bytes are cut off. It never occurs in a ``CompositeKey``.
    static let cut: UInt8 = 0x03
}

package struct CompositeKeyEncoder {
    package var bytes: [UInt8] = []
    private(set) var depth = 0
    private(set) var hasBadDate = false

    package init() {}

    package mutating func append(_ element: CompositeKey.Element) {
        depth = max(depth, element.depth)
        switch element {
        case .null: bytes.append(ElementCode.null)
        case .bytes(let value): append(ElementCode.bytes, value)
        case .string(let value): append(ElementCode.string, value.utf8)
        case .key(let value):
            bytes.append(ElementCode.key)
            bytes += value.bytes
            bytes.append(ElementCode.end)
            hasBadDate = hasBadDate || value.hasBadDate
        case .int(let value):
            if value >= 0 { append(positive: UInt64(value)) } else { append(negative: value) }
        case .unsigned(let value): append(positive: value)
        case .double(let value):
            bytes.append(ElementCode.double)
            append(value)
        case .bool(let value): bytes.append(value ? ElementCode.yes : ElementCode.no)
        case .uuid(let value):
            bytes.append(ElementCode.uuid)
            unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
        case .date(let value):
            bytes.append(ElementCode.date)
            append(value.timeIntervalSinceReferenceDate)
            hasBadDate = hasBadDate || value.timeIntervalSinceReferenceDate.isNaN
        }
    }

    /// Appends a string of UTF-8 bytes.
    package mutating func append(utf8: Bytes) {
        unsafe append(ElementCode.string, utf8.buffer)
    }

    private mutating func append(_ code: UInt8, _ content: some Sequence<UInt8>) {
        appendStart(code, content)
        bytes.append(ElementCode.end)
    }

    /// Appends a string's or bytes' code and content, without the end: the common beginning of all elements of the type
    /// that start with `content`.
    private mutating func appendStart(_ code: UInt8, _ content: some Sequence<UInt8>) {
        bytes.append(code)
        // The usual content has no byte to escape, and is copied as a whole.
        let isCopied: Bool? = content.withContiguousStorageIfAvailable { (content) in
            guard unsafe content.allSatisfy({ $0 > ElementCode.escape }) else { return false }
            unsafe bytes.append(contentsOf: content)
            return true
        }
        if isCopied == true { return }
        for byte in content {
            if byte <= ElementCode.escape {
                bytes.append(ElementCode.escape)
                bytes.append(byte + 1)
            } else {
                bytes.append(byte)
            }
        }
    }

    /// Appends the common beginning of all strings, or of all bytes, that start with `content`.
    package mutating func appendStart(of content: some Sequence<UInt8>, isText: Bool) {
        appendStart(isText ? ElementCode.string : ElementCode.bytes, content)
    }

    /// Appends the mark of a cut and a hash of the whole in place of an end. All elements that were cut behind the same
    /// content are neighbours, and follow the element that ends there.
    package mutating func appendCut(hash: UInt64) {
        bytes.append(ElementCode.escape)
        bytes.append(ElementCode.cut)
        append(hash, 8)
    }

    private mutating func append(positive value: UInt64) {
        let count = 8 - value.leadingZeroBitCount / 8
        bytes.append(ElementCode.zero + UInt8(count))
        append(value, count)
    }

    /// Writes n − 1 + 2⁸ᵇ, the one's complement of −n in b bytes.
    private mutating func append(negative value: Int64) {
        let complement = ~value.magnitude
        let count = 8 - value.magnitude.leadingZeroBitCount / 8
        bytes.append(ElementCode.zero - UInt8(count))
        append(complement, count)
    }

    private mutating func append(_ value: Double) {
        let bits = value.bitPattern
        append(bits >> 63 == 0 ? bits ^ 1 << 63 : ~bits, 8)
    }

    /// Appends the lowest `count` bytes, big-endian.
    private mutating func append(_ value: UInt64, _ count: Int) {
        for index in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }
}

/// Accepts exactly what the encoder writes, so that a key has one encoding only.
struct CompositeKeyDecoder {
    private var reader: ByteReader

    init(_ bytes: Bytes) { reader = ByteReader(bytes) }

    mutating func elements() throws(ParseFailure) -> [CompositeKey.Element] {
        var elements: [CompositeKey.Element] = []
        while !reader.isAtEnd {
            elements.append(try element(try reader.u8("an element"), depth: 0))
        }
        return elements
    }

    private mutating func element(_ code: UInt8, depth: Int) throws(ParseFailure) -> CompositeKey.Element {
        switch code {
        case ElementCode.null: return .null
        case ElementCode.bytes: return .bytes(try content())
        case ElementCode.string:
            guard let text = String(validating: try content(), as: UTF8.self) else {
                throw ParseFailure("a string is not UTF-8")
            }
            return .string(text)
        case ElementCode.key: return .key(try key(depth: depth + 1))
        case ElementCode.zero - 8..<ElementCode.zero: return .int(try negative(Int(ElementCode.zero - code)))
        case ElementCode.zero: return .int(0)
        case ElementCode.zero + 1...ElementCode.zero + 8: return try positive(Int(code - ElementCode.zero))
        case ElementCode.double: return .double(try double())
        case ElementCode.no: return .bool(false)
        case ElementCode.yes: return .bool(true)
        case ElementCode.uuid:
            let bytes = try reader.slice(16, "a UUID").array()
            return .uuid(UUID(uuid: unsafe bytes.span.bytes.unsafeLoadUnaligned(as: uuid_t.self)))
        case ElementCode.date:
            let seconds = try double()
            guard !seconds.isNaN else { throw ParseFailure("a date is not a number") }
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        default: throw ParseFailure("an element has the unknown code \(code)")
        }
    }

    private mutating func content() throws(ParseFailure) -> [UInt8] {
        var content: [UInt8] = []
        while true {
            switch try reader.u8("the end of a string or of bytes") {
            case ElementCode.end: return content
            case ElementCode.escape:
                let escaped = try reader.u8("an escaped byte")
                guard escaped == 1 || escaped == 2 else { throw ParseFailure("an escaped byte is out of bounds") }
                content.append(escaped - 1)
            case let byte: content.append(byte)
            }
        }
    }

    private mutating func key(depth: Int) throws(ParseFailure) -> CompositeKey {
        guard depth <= CompositeKey.depthMax else {
            throw ParseFailure("keys are nested deeper than \(CompositeKey.depthMax) levels")
        }
        var encoder = CompositeKeyEncoder()
        while true {
            let code = try reader.u8("the end of a nested key")
            if code == ElementCode.end { return CompositeKey(encoder) }
            encoder.append(try element(code, depth: depth))
        }
    }

    private mutating func positive(_ count: Int) throws(ParseFailure) -> CompositeKey.Element {
        let value = try number(count)
        guard value >> (8 * UInt64(count - 1)) != 0 else { throw ParseFailure("an integer has a leading zero") }
        return Int64(exactly: value).map { .int($0) } ?? .unsigned(value)
    }

    private mutating func negative(_ count: Int) throws(ParseFailure) -> Int64 {
        let magnitude = ~(try number(count)) & (count == 8 ? .max : (1 << (8 * UInt64(count))) - 1)
        guard magnitude >> (8 * UInt64(count - 1)) != 0 else { throw ParseFailure("an integer has a leading zero") }
        guard magnitude <= Int64.min.magnitude else { throw ParseFailure("an integer is out of bounds") }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    private mutating func double() throws(ParseFailure) -> Double {
        let bits = try number(8)
        return Double(bitPattern: bits >> 63 == 1 ? bits ^ 1 << 63 : ~bits)
    }

    private mutating func number(_ count: Int) throws(ParseFailure) -> UInt64 {
        var value: UInt64 = 0
        for _ in 0..<count { value = value << 8 | UInt64(try reader.u8("a number")) }
        return value
    }
}
