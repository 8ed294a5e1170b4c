public import Shale

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A type of values that a field of a collection can have.
///
/// All integers, `String`, `Double`, `Float`, `Bool`, `Date`, `UUID`, `Data` and `[UInt8]` conform, and so do their
/// optionals. An enum with such a raw value conforms by a declaration alone:
/// ```swift
/// enum Gender: String, Codable, FieldValue { case female, male, other }
/// ```
public protocol FieldValue: Sendable {
    /// The kind of the values.
    static var fieldKind: FieldKind { get }
    /// True if values may be nil.
    static var isNullable: Bool { get }
    /// The value as an element of a key.
    var fieldElement: CompositeKey.Element { get }
}

extension FieldValue {
    public static var isNullable: Bool { false }
}

extension FieldValue where Self: CompositeKeyElement {
    public var fieldElement: CompositeKey.Element { compositeElement }
}

extension FieldValue where Self: FixedWidthInteger {
    public static var fieldKind: FieldKind { .integer }
}

extension FieldValue where Self: RawRepresentable, RawValue: FieldValue {
    public static var fieldKind: FieldKind { RawValue.fieldKind }
    public var fieldElement: CompositeKey.Element { rawValue.fieldElement }
}

extension Int: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}
extension UInt: FieldValue {}
extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}
extension UInt64: FieldValue {}

extension String: FieldValue {
    public static var fieldKind: FieldKind { .text }
}

extension Double: FieldValue {
    public static var fieldKind: FieldKind { .real }
}

extension Float: FieldValue {
    public static var fieldKind: FieldKind { .real }
}

extension Bool: FieldValue {
    public static var fieldKind: FieldKind { .boolean }
}

extension Date: FieldValue {
    public static var fieldKind: FieldKind { .date }
}

extension UUID: FieldValue {
    public static var fieldKind: FieldKind { .uuid }
}

extension Data: FieldValue {
    public static var fieldKind: FieldKind { .binary }
}

extension [UInt8]: FieldValue {
    public static var fieldKind: FieldKind { .binary }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var fieldKind: FieldKind { Wrapped.fieldKind }
    public static var isNullable: Bool { true }
    public var fieldElement: CompositeKey.Element { self?.fieldElement ?? .null }
}

extension FieldKind {
    /// True if an element of a key can be a value of this kind. Null is one of every kind.
    func holds(_ element: CompositeKey.Element) -> Bool {
        switch (self, element) {
        case (_, .null), (.integer, .int), (.integer, .unsigned), (.text, .string), (.real, .double), (.binary, .bytes),
            (.boolean, .bool), (.date, .date), (.uuid, .uuid):
            true
        default: false
        }
    }
}
