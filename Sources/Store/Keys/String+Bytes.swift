public import ShaleBase

extension String {
    /// Passes the string's UTF-8 bytes to `body`, without copying or allocating unless the string comes from
    /// Objective-C and is not stored as UTF-8. The standard library's accessors don't rethrow typed errors, so the
    /// result passes through a `Result`.
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
