package import ShaleBase

/// The content of a file as memory, from which small ranges are copied without a system call. Thread-safe.
///
/// The file must not become shorter. If it does, or if its device fails, a copy says so: it never returns wrong bytes
/// as right ones, but the bytes may have changed since they were written, as those of a read may. The caller verifies
/// the copy, which nothing changes any more.
package protocol FileMapping: AnyObject, Sendable {
    /// Copies the bytes at `offset` into all of `target`.
    ///
    /// - Returns: False if bytes are missing, or if the mapping can't be used any more. The content of `target` is then
    ///   unspecified, and the caller uses ``ReadableFile/read(into:at:)``, which reports the error, if there is one.
    func copy(into target: MutableBytes, at offset: UInt64) -> Bool

    /// Prefetches the bytes of a range that is copied next, without waiting for what is in memory. Does nothing beyond
    /// the end.
    func touch(_ count: Int, at offset: UInt64)
}
