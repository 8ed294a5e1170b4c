#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
