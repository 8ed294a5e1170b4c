import Shale
import ShaleBase

/// The comparisons of fields' values: text and bytes bytewise, everything else as in Swift.
enum FieldOrder {
    /// True if a condition `a == b` holds. Nil equals nil, and NaN equals nothing.
    static func isEqual(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): isEqual(a, b)
        case (.double(let a), .double(let b)): a == b
        default: a == b
        }
    }

    /// True if a unique index holds only one of two values: as ``isEqual(_:_:)``, but NaN is one value.
    static func isSame(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        if case (.double(let a), .double(let b)) = (a, b), a.isNaN, b.isNaN { return true }
        return isEqual(a, b)
    }

    static func isEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && withUTF8(a, b) { $0 == $1 }
    }

    static func isLess(_ a: String, _ b: String) -> Bool { withUTF8(a, b) { $0 < $1 } }

    /// Passes the bytes of two texts to `body`: comparing them as memory takes a fraction of comparing their elements.
    private static func withUTF8(_ a: String, _ b: String, _ body: (Bytes, Bytes) -> Bool) -> Bool {
        var (a, b) = (a, b)
        return a.withUTF8 { (a) in
            b.withUTF8 { (b) in
                body(unsafe Bytes(UnsafeRawBufferPointer(a)), unsafe Bytes(UnsafeRawBufferPointer(b)))
            }
        }
    }

    /// True if a condition `a < b` holds. False for nil, for NaN, and for values of different kinds.
    static func isLess(_ a: CompositeKey.Element, _ b: CompositeKey.Element) -> Bool {
        switch (a, b) {
        case (.string(let a), .string(let b)): isLess(a, b)
        case (.bytes(let a), .bytes(let b)): a.lexicographicallyPrecedes(b)
        case (.int(let a), .int(let b)): a < b
        case (.unsigned(let a), .unsigned(let b)): a < b
        case (.int, .unsigned): true
        case (.double(let a), .double(let b)): a < b
        case (.bool(let a), .bool(let b)): !a && b
        case (.date(let a), .date(let b)): a < b
        case (.uuid, .uuid): bytes(a).lexicographicallyPrecedes(bytes(b))
        default: false
        }
    }

    private static func bytes(_ element: CompositeKey.Element) -> [UInt8] {
        var encoder = CompositeKeyEncoder()
        encoder.append(element)
        return encoder.bytes
    }
}
