extension [UInt8] {
    /// Calls `body` with the elements as `Bytes`, which are valid only during the call.
    @inline(__always)
    package func withBytes<R, Failure: Error>(_ body: (Bytes) throws(Failure) -> R) throws(Failure) -> R {
        let span = self.span
        return try unsafe span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try body(unsafe Bytes(buffer)) }
    }
}
