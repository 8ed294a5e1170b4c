package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// What memory that holds keys needs from the system.
package enum SecretMemory {
    /// Fills `target` with random bytes from the kernel, fit for keys. At most 256 at a time.
    package static func fill(_ target: MutableBytes) throws(IOFailure) {
        _ = try SystemCall.run("getentropy", "random numbers") { unsafe getentropy(target.start, target.count) }
    }

    /// Overwrites `target` with zeroes, even where the compiler can see that nobody reads them.
    package static func wipe(_ target: MutableBytes) {
        #if canImport(Darwin)
            unsafe memset_s(target.start, target.count, 0, target.count)
        #else
            unsafe explicit_bzero(target.start, target.count)
        #endif
    }

    package static func randomBytes(_ count: Int) throws(IOFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let outcome = unsafe bytes.withUnsafeMutableBytes { (buffer) -> Result<Void, IOFailure> in
            guard let start = buffer.baseAddress else { return .success(()) }
            do throws(IOFailure) {
                return .success(try fill(unsafe MutableBytes(start: start, count: buffer.count)))
            } catch {
                return .failure(error)
            }
        }
        try outcome.get()
        return bytes
    }
}
