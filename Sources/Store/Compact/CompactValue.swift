package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value in a compact document, found but not decoded.
///
/// It borrows the document's memory, as ``Envelope`` does. Its bounds have been checked, its content has not: each
/// access checks what it reads.
package struct CompactValue {
    let kind: UInt8
    /// The bytes behind the kind and the length.
    let content: Bytes

    /// Finds the value at an offset and moves the offset behind the value.
    ///
    /// - Complexity: O(1), also for containers.
    @inline(__always)
    init(in bytes: Bytes, at offset: inout Int) throws(ParseFailure) {
        guard offset < bytes.count else { throw ParseFailure("a value is missing") }
        kind = bytes[offset]
        offset &+= 1
        let length: Int
        switch kind {
        case CompactKind.shortText..<CompactKind.end: length = Int(kind & CompactKind.smallMax)
        case CompactKind.small..<CompactKind.shortText, CompactKind.null...CompactKind.yes: length = 0
        case CompactKind.positive..<CompactKind.negative &+ 8: length = Int(kind & 7) &+ 1
        case CompactKind.double, CompactKind.date: length = 8
        case CompactKind.float: length = 4
        case CompactKind.uuid, CompactKind.wide, CompactKind.unsignedWide: length = 16
        case CompactKind.text...CompactKind.object:
            guard bytes.count &- offset >= 4 else { throw ParseFailure("a length is cut short") }
            length = Int(bytes.u32(at: offset))
            offset &+= 4
        default: throw ParseFailure("a value has the unknown kind \(kind)")
        }
        guard length <= bytes.count &- offset else { throw ParseFailure("a value is cut short") }
        content = bytes.slice(offset, length)
        offset &+= length
    }

    init(kind: UInt8, content: Bytes) {
        self.kind = kind
        self.content = content
    }

    /// The value nil.
    package static var null: CompactValue { CompactValue(kind: CompactKind.null, content: .empty) }

    /// Finds the value that a document consists of, in O(1).
    ///
    /// - Parameter document: Memory that outlives this value and everything that is read from it.
    /// - Throws: `.corruption` if the bytes begin with no value, or if something follows it.
    package init(document: Bytes) throws(StorageError) {
        do throws(ParseFailure) {
            var offset = 0
            try self.init(in: document, at: &offset)
            guard offset == document.count else { throw ParseFailure("something follows the document") }
        } catch {
            throw .badDocument(error)
        }
    }

    package var isNull: Bool { kind == CompactKind.null }
    package var isObject: Bool { kind == CompactKind.object }
    package var isArray: Bool { kind == CompactKind.array }
    var isText: Bool { kind == CompactKind.text || (CompactKind.shortText..<CompactKind.end).contains(kind) }

    /// True if the name of a field equals the UTF-8 bytes `name`.
    @inline(__always)
    func isName(_ name: Bytes) -> Bool { isText && content == name }

    /// The name of the kind in error messages.
    var kindName: String {
        switch kind {
        case CompactKind.null: "null"
        case CompactKind.no, CompactKind.yes: "bool"
        case CompactKind.double: "double"
        case CompactKind.float: "float"
        case CompactKind.date: "date"
        case CompactKind.uuid: "uuid"
        case CompactKind.bytes: "data"
        case CompactKind.url: "url"
        case CompactKind.array: "array"
        case CompactKind.object: "object"
        default: isText ? "string" : "int"
        }
    }
}

/// The fields of an object, without decoding it.
extension CompactValue {
    /// Returns the first field with a name; `nil` if the value is no object or has no such field.
    ///
    /// - Throws: `.corruption` if a field before it is not valid.
    /// - Complexity: O(fields before it), whatever they contain.
    package func field(_ name: String) throws(StorageError) -> CompactValue? {
        try name.withBytes { (name) throws(StorageError) in
            try unsafe name.withUnsafeBytes { (name) throws(StorageError) in try field(unsafe Bytes(name)) }
        }
    }

    package func field(_ name: Bytes) throws(StorageError) -> CompactValue? {
        guard isObject else { return nil }
        do throws(ParseFailure) {
            var offset = 0
            while offset < content.count {
                let found = try CompactValue(in: content, at: &offset)
                let value = try CompactValue(in: content, at: &offset)
                if found.isName(name) { return value }
            }
            return nil
        } catch {
            throw .badDocument(error)
        }
    }

    /// Calls `body` with the name and the value of each field of an object, in their order. A value that is no object
    /// has no fields.
    package func forEachField(
        _ body: (String, CompactValue) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard isObject else { return }
        var offset = 0
        while offset < content.count {
            let (name, value) = try field(at: &offset)
            try body(name, value)
        }
    }

    /// Reads the field at an offset of an object's content.
    func field(at offset: inout Int) throws(StorageError) -> (name: String, value: CompactValue) {
        do throws(ParseFailure) {
            let name = try CompactValue(in: content, at: &offset)
            guard name.isText, let text = String.text(name.content.span) else {
                throw ParseFailure("a name is no text")
            }
            return (text, try CompactValue(in: content, at: &offset))
        } catch {
            throw .badDocument(error)
        }
    }
}

/// Single values. Each function returns `nil` if the value is of another kind or does not fit.
extension CompactValue {
    var bool: Bool? {
        switch kind {
        case CompactKind.no: false
        case CompactKind.yes: true
        default: nil
        }
    }

    /// The text; also that of a URL, and of a UUID. Throws if the bytes are not UTF-8.
    @inline(__always)
    func string() throws(StorageError) -> String? {
        if !isText, kind != CompactKind.url { return uuid?.uuidString }
        guard let text = String.text(content.span) else {
            throw .badDocument(ParseFailure("a text is not UTF-8"))
        }
        return text
    }

    /// The number, if the type holds it. Doubles count if they are whole.
    @inline(__always)
    func integer<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        switch kind {
        case CompactKind.small..<CompactKind.shortText: return T(exactly: kind & CompactKind.smallMax)
        case CompactKind.positive..<CompactKind.negative: return T(exactly: magnitude)
        case CompactKind.negative..<CompactKind.negative &+ 8:
            let number = magnitude
            if number <= UInt64(Int64.max) { return T(exactly: ~Int64(number)) }
            return wideNegative(number)
        default: return rareInteger(type)
        }
    }

    @inline(never)
    private func wideNegative<T: FixedWidthInteger>(_ number: UInt64) -> T? {
        guard T.isSigned, T.bitWidth > 64 else { return nil }
        return ~T(truncatingIfNeeded: number)
    }

    @inline(never)
    private func rareInteger<T: FixedWidthInteger>(_ type: T.Type) -> T? {
        switch kind {
        case CompactKind.double: return T(exactly: Double(bitPattern: content.u64(at: 0)))
        case CompactKind.float: return T(exactly: Float(bitPattern: content.u32(at: 0)))
        case CompactKind.wide, CompactKind.unsignedWide:
            guard T.bitWidth == 128, T.isSigned == (kind == CompactKind.wide) || content[15] < 0x80 else { return nil }
            return T(truncatingIfNeeded: content.u64(at: 0)) | T(truncatingIfNeeded: content.u64(at: 8)) << 64
        default: return nil
        }
    }

    /// The integer in the content, little-endian, of 1 to 8 bytes.
    @inline(__always)
    private var magnitude: UInt64 {
        var number: UInt64 = 0
        for index in 0..<content.count { number |= UInt64(content[index]) &<< UInt64(8 &* index) }
        return number
    }

    /// The number, if it is exactly representable. A date counts as its seconds since 2001, because a date that
    /// encodes itself is that number.
    func double() -> Double? {
        switch kind {
        case CompactKind.double, CompactKind.date: Double(bitPattern: content.u64(at: 0))
        case CompactKind.float: Double(Float(bitPattern: content.u32(at: 0)))
        default: exact(Double.self)
        }
    }

    func float() -> Float? {
        switch kind {
        case CompactKind.float: return Float(bitPattern: content.u32(at: 0))
        case CompactKind.double:
            let number = Double(bitPattern: content.u64(at: 0))
            return number.isNaN ? .nan : Float(exactly: number)
        default: return exact(Float.self)
        }
    }

    private func exact<T: BinaryFloatingPoint>(_ type: T.Type) -> T? {
        if let number = integer(Int64.self) { return T(exactly: number) }
        return integer(UInt64.self).flatMap { T(exactly: $0) }
    }

    /// The date. Throws for a date that is not a number: Foundation ends the process when it describes one.
    func date() throws(StorageError) -> Date? {
        guard kind == CompactKind.date else { return nil }
        let seconds = Double(bitPattern: content.u64(at: 0))
        guard !seconds.isNaN else { throw .badDocument(ParseFailure("a date is not a number")) }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    var uuid: UUID? {
        guard kind == CompactKind.uuid else { return nil }
        return UUID(uuid: unsafe content.span.unsafeLoadUnaligned(as: uuid_t.self))
    }

    /// The bytes of data.
    var data: Bytes? { kind == CompactKind.bytes ? content : nil }
}
