extension [UInt8] {
    /// The elements as `Bytes`, for the time of `body`.
    @inline(__always)
    package func withBytes<R, Failure: Error>(_ body: (Bytes) throws(Failure) -> R) throws(Failure) -> R {
        let span = self.span
        return try unsafe span.bytes.withUnsafeBytes { (buffer) throws(Failure) in try body(unsafe Bytes(buffer)) }
    }
}
