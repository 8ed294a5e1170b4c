import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of reflection, ready for an encoder.
indirect enum ReflectedTree {
    case null
    /// A value that encodes itself.
    case leaf(any Encodable)
    case array([ReflectedTree])
    case object([String: ReflectedTree])
}

extension ReflectedTree: Encodable {
    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .leaf(let value):
            // Encodes through a container, because encoders treat dates, data, URLs and decimals specially there.
            var container = encoder.singleValueContainer()
            try container.encode(value)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .object(let members):
            var container = encoder.container(keyedBy: MemberName.self)
            for (name, value) in members { try container.encode(value, forKey: MemberName(name)) }
        }
    }
}

/// Types that are encoded without a mirror, because their encoding contains everything. An array of them conforms too,
/// so that a million bytes don't need a million mirrors.
protocol ReflectedScalar: Encodable {}

extension Bool: ReflectedScalar {}
extension String: ReflectedScalar {}
extension Int: ReflectedScalar {}
extension Int8: ReflectedScalar {}
extension Int16: ReflectedScalar {}
extension Int32: ReflectedScalar {}
extension Int64: ReflectedScalar {}
extension UInt: ReflectedScalar {}
extension UInt8: ReflectedScalar {}
extension UInt16: ReflectedScalar {}
extension UInt32: ReflectedScalar {}
extension UInt64: ReflectedScalar {}
extension Double: ReflectedScalar {}
extension Float: ReflectedScalar {}
extension Data: ReflectedScalar {}
extension Date: ReflectedScalar {}
extension UUID: ReflectedScalar {}
extension URL: ReflectedScalar {}
extension Decimal: ReflectedScalar {}
extension Array: ReflectedScalar where Element: ReflectedScalar {}

/// Converts a value to JSON by reflection.
enum ReflectedValue {
    /// Passes the JSON to `body`. Throws `.codecFailure` with a ``ReflectionError`` or the encoder's error as its
    /// cause.
    static func withJSON(
        _ value: Any, _ body: (RawSpan) throws(StorageError) -> Void
    ) throws(StorageError) {
        let tree: ReflectedTree
        do throws(ReflectionError) {
            var reflector = Reflector()
            tree = try reflector.tree(of: value)
        } catch {
            throw StorageError(.codecFailure, "a \(type(of: value)) can't be stored by reflection", cause: error)
        }
        try body(try CodableCoder.encode(tree, as: .json).bytes)
    }
}
