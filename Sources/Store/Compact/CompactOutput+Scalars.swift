import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CompactOutput {
    /// Appends a value that is one kind of a compact document. Returns false if the type is none of them.
    ///
    /// For known types the comparisons are decided at compile time. Each conversion copies a value to its own type.
    @inline(__always)
    func append<T>(scalar value: T) throws(StorageError) -> Bool {
        if T.self == String.self {
            append(unsafe unsafeBitCast(value, to: String.self))
        } else if T.self == Int.self {
            append(unsafe unsafeBitCast(value, to: Int.self))
        } else if T.self == Bool.self {
            append(kind: unsafe unsafeBitCast(value, to: Bool.self) ? CompactKind.yes : CompactKind.no)
        } else if T.self == Double.self {
            append(unsafe unsafeBitCast(value, to: Double.self))
        } else if T.self == Date.self {
            try append(unsafe unsafeBitCast(value, to: Date.self))
        } else if T.self == UUID.self {
            append(unsafe unsafeBitCast(value, to: UUID.self))
        } else {
            return try appendRare(value)
        }
        return true
    }

    private func append(_ date: Date) throws(StorageError) {
        let seconds = date.timeIntervalSinceReferenceDate
        guard !seconds.isNaN else { throw .dateIsNoNumber() }
        append(seconds, CompactKind.date)
    }

    @inline(__always)
    private func appendRare<T>(_ value: T) throws(StorageError) -> Bool {
        if T.self == Int64.self {
            append(unsafe unsafeBitCast(value, to: Int64.self))
        } else if T.self == Int32.self {
            append(unsafe unsafeBitCast(value, to: Int32.self))
        } else if T.self == Int16.self {
            append(unsafe unsafeBitCast(value, to: Int16.self))
        } else if T.self == Int8.self {
            append(unsafe unsafeBitCast(value, to: Int8.self))
        } else if T.self == UInt.self {
            append(unsafe unsafeBitCast(value, to: UInt.self))
        } else if T.self == UInt64.self {
            append(unsafe unsafeBitCast(value, to: UInt64.self))
        } else if T.self == UInt32.self {
            append(unsafe unsafeBitCast(value, to: UInt32.self))
        } else if T.self == UInt16.self {
            append(unsafe unsafeBitCast(value, to: UInt16.self))
        } else if T.self == UInt8.self {
            append(unsafe unsafeBitCast(value, to: UInt8.self))
        } else if T.self == Float.self {
            append(unsafe unsafeBitCast(value, to: Float.self))
        } else if T.self == Data.self {
            let data = unsafe unsafeBitCast(value, to: Data.self)
            append(data: data.bytes)
        } else if T.self == [UInt8].self {
            let bytes = unsafe unsafeBitCast(value, to: [UInt8].self)
            unsafe append(data: bytes.span.bytes)
        } else if T.self == URL.self {
            append(unsafe unsafeBitCast(value, to: URL.self).absoluteString, CompactKind.url)
        } else {
            return appendWide(value)
        }
        return true
    }

    @inline(__always)
    private func appendWide<T>(_ value: T) -> Bool {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return false }
        if T.self == Int128.self {
            append(unsafe unsafeBitCast(value, to: Int128.self))
        } else if T.self == UInt128.self {
            append(unsafe unsafeBitCast(value, to: UInt128.self))
        } else {
            return false
        }
        return true
    }
}
