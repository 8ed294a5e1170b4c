#if Encryption
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    enum EnvironmentText {
        /// Returns the bytes of a variable; `nil` if it is not set.
        static func bytes(of name: String) -> [UInt8]? {
            guard let text = unsafe getenv(name) else { return nil }
            return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
        }
    }
#endif
