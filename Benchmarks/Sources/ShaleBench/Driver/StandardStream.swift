#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Unbuffered writes to standard streams and files.
enum StandardStream {
    static func writeToOutput(_ text: String) throws { try write(text, to: STDOUT_FILENO) }

    static func writeToError(_ text: String) throws { try write(text, to: STDERR_FILENO) }

    /// Writes all of `text` to an open file.
    static func write(_ text: String, to descriptor: Int32) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    unsafe Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                #elseif canImport(Musl)
                    unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
                #else
                    unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                #endif
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw BenchError.system("write", "descriptor \(descriptor)", errno) }
            bytes = bytes.dropFirst(count)
        }
    }
}
