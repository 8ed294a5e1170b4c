import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of reading a value as a type.
enum CompactScalar<T> {
    case value(T)
    /// The value is of another kind, or does not fit.
    case refused
    /// The type is no kind of a compact document.
    case noScalar

    /// Makes a result of a type that was found to be `T`.
    @inline(__always)
    init<Known>(_ value: Known?) {
        guard let value else {
            self = .refused
            return
        }
        self = .value(unsafe unsafeBitCast(value, to: T.self))
    }
}

extension CompactValue {
    /// Returns the value as a type that is one kind of a compact document. For known types the comparisons are decided
    /// at compile time.
    @inline(__always)
    func scalar<T>(_ type: T.Type) throws(StorageError) -> CompactScalar<T> {
        if T.self == String.self { return CompactScalar(try string()) }
        if T.self == Int.self { return CompactScalar(integer(Int.self)) }
        if T.self == Bool.self { return CompactScalar(bool) }
        if T.self == Double.self { return CompactScalar(double()) }
        if T.self == Date.self { return CompactScalar(try date()) }
        if T.self == UUID.self { return CompactScalar(try readUUID()) }
        return try rareScalar(type)
    }

    @inline(__always)
    private func rareScalar<T>(_ type: T.Type) throws(StorageError) -> CompactScalar<T> {
        if T.self == Int64.self { return CompactScalar(integer(Int64.self)) }
        if T.self == Int32.self { return CompactScalar(integer(Int32.self)) }
        if T.self == Int16.self { return CompactScalar(integer(Int16.self)) }
        if T.self == Int8.self { return CompactScalar(integer(Int8.self)) }
        if T.self == UInt.self { return CompactScalar(integer(UInt.self)) }
        if T.self == UInt64.self { return CompactScalar(integer(UInt64.self)) }
        if T.self == UInt32.self { return CompactScalar(integer(UInt32.self)) }
        if T.self == UInt16.self { return CompactScalar(integer(UInt16.self)) }
        if T.self == UInt8.self { return CompactScalar(integer(UInt8.self)) }
        if T.self == Float.self { return CompactScalar(float()) }
        if T.self == Data.self { return CompactScalar(data.map { Data(copying: $0.span) }) }
        if T.self == [UInt8].self { return CompactScalar(data?.array()) }
        if T.self == URL.self { return CompactScalar(try string().flatMap { URL(string: $0) }) }
        if T.self == StructuredValue.self { return CompactScalar(try tree()) }
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return .noScalar }
        if T.self == Int128.self { return CompactScalar(integer(Int128.self)) }
        if T.self == UInt128.self { return CompactScalar(integer(UInt128.self)) }
        return .noScalar
    }

    /// The UUID; also one that was stored as its text.
    func readUUID() throws(StorageError) -> UUID? {
        guard isText else { return uuid }
        return try string().flatMap { UUID(uuidString: $0) }
    }
}
