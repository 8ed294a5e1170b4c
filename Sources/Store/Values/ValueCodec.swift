public import ShaleBase

/// The encoding of a value's payload.
///
/// It is stored with every value, so that a reader need not know how the value was written. On disk, do not change:
/// Shale.docc, "Value envelope".
public struct ValueCodec: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Raw bytes.
    @inlinable public static var data: ValueCodec { ValueCodec(rawValue: 1) }
    /// UTF-8 text.
    @inlinable public static var string: ValueCodec { ValueCodec(rawValue: 2) }
    /// One byte, 0 or 1.
    @inlinable public static var bool: ValueCodec { ValueCodec(rawValue: 3) }
    /// `Int64`, 8 bytes.
    @inlinable public static var int: ValueCodec { ValueCodec(rawValue: 4) }
    /// `UInt64` above `Int64.max`, 8 bytes. Smaller numbers are ``int``.
    @inlinable public static var unsigned: ValueCodec { ValueCodec(rawValue: 5) }
    /// IEEE 754 binary64, 8 bytes.
    @inlinable public static var double: ValueCodec { ValueCodec(rawValue: 6) }
    /// IEEE 754 binary32, 4 bytes.
    @inlinable public static var float: ValueCodec { ValueCodec(rawValue: 7) }
    /// Seconds since 2001-01-01 UTC as binary64, 8 bytes.
    @inlinable public static var date: ValueCodec { ValueCodec(rawValue: 8) }
    /// 16 bytes.
    @inlinable public static var uuid: ValueCodec { ValueCodec(rawValue: 9) }
    /// The absolute string in UTF-8.
    @inlinable public static var url: ValueCodec { ValueCodec(rawValue: 10) }
    /// A JSON text in UTF-8.
    @inlinable public static var json: ValueCodec { ValueCodec(rawValue: 16) }
    /// A binary property list whose root is an array of one element: the value.
    @inlinable public static var propertyList: ValueCodec { ValueCodec(rawValue: 17) }

    /// A keyed archive of objects, written by `ShaleFoundation`.
    @inlinable public static var archive: ValueCodec { ValueCodec(rawValue: 18) }

    /// A value with the number of its version, written with a ``VersionedCodec``.
    @inlinable public static var versioned: ValueCodec { ValueCodec(rawValue: 19) }

    /// A compact document: Shale.docc, "Compact documents".
    @inlinable public static var compact: ValueCodec { ValueCodec(rawValue: 20) }

    /// True for the formats of `Codable` values.
    @inlinable
    var isDocument: Bool { self == .json || self == .propertyList || self == .compact }

    /// True for the encodings of ``StorableValue``.
    var isScalar: Bool { (ValueCodec.data.rawValue...ValueCodec.url.rawValue).contains(rawValue) }

    private static let names: [ValueCodec: String] = [
        .data: "data", .string: "string", .bool: "bool", .int: "int", .unsigned: "unsigned", .double: "double",
        .float: "float", .date: "date", .uuid: "uuid", .url: "url", .json: "json", .propertyList: "propertyList",
        .archive: "archive", .versioned: "versioned", .compact: "compact",
    ]

    /// True if this version of Shale can decode values of this codec.
    public var isKnown: Bool { ValueCodec.names[self] != nil }
}

extension ValueCodec: CustomStringConvertible {
    /// The name that error messages use.
    public var description: String { ValueCodec.names[self] ?? "codec \(rawValue)" }
}

extension StorageError {
    /// Returns an error for a stored value that has another type than requested or does not fit into it.
    ///
    /// Code `.typeMismatch`; the message contains both names.
    public static func typeMismatch(stored: String, requested: String) -> StorageError {
        StorageError(.typeMismatch, "the stored value has another type stored=\(stored) requested=\(requested)")
    }

    /// Returns an error for a codec that `requested` is never stored with: `.newerFormat` for an unknown codec,
    /// `.typeMismatch` for a known one.
    @usableFromInline @inline(never)
    static func unexpected(_ codec: ValueCodec, requested: String) -> StorageError {
        guard codec.isKnown else {
            return StorageError(
                .newerFormat, "a stored value has a codec that this version does not know codec=\(codec.rawValue)")
        }
        return .typeMismatch(stored: codec.description, requested: requested)
    }

    /// Returns an error for a payload that is not valid for its codec, although its checksum is right.
    @usableFromInline @inline(never)
    static func badPayload(_ codec: ValueCodec, _ byteCount: Int) -> StorageError {
        .corruption("a stored value is not a valid \(codec) bytes=\(byteCount)")
    }

    /// Returns an error for a date that is NaN. It can't be stored: Foundation ends the process when it describes one.
    @usableFromInline @inline(never)
    static func dateIsNoNumber() -> StorageError {
        StorageError(.invalidArgument, "a date is not a number")
    }
}
