public import ShaleBase

extension String {
    /// Lends the string's UTF-8 bytes without copying or allocating where the string is stored as UTF-8, which is
    /// everywhere but for strings that come from Objective-C. The standard library's accessors do not pass typed errors
    /// on, so the outcome travels as a `Result`.
    @inlinable @inline(__always)
    func withBytes<R>(_ body: (RawSpan) throws(StorageError) -> R) throws(StorageError) -> R {
        let lent = unsafe utf8.withContiguousStorageIfAvailable { (buffer) -> Result<R, StorageError> in
            do throws(StorageError) {
                return .success(try body(unsafe RawSpan(_unsafeElements: buffer)))
            } catch {
                return .failure(error)
            }
        }
        if let lent { return try lent.get() }
        let copy = [UInt8](utf8)
        return try unsafe body(copy.span.bytes)
    }
}

extension [UInt8] {
    @inlinable
    init(copying span: RawSpan) {
        self = unsafe span.withUnsafeBytes { unsafe [UInt8]($0) }
    }
}
