package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// System calls for memory that holds keys.
package enum SecretMemory {
    /// Fills `target`, at most 256 bytes, with random bytes from the kernel that are fit for keys.
    package static func fill(_ target: MutableBytes) throws(IOFailure) {
        _ = try SystemCall.run("getentropy", "random numbers") { unsafe getentropy(target.start, target.count) }
    }

    /// Overwrites `target` with zeroes, even if the compiler can prove that they are never read.
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
