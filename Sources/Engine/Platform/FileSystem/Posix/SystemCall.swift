import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How system calls are made: one that a signal has interrupted is repeated, a failed one becomes an ``IOFailure``. All of
/// them: a host's signal handlers may have been installed without SA_RESTART, and some calls ignore that flag.
enum SystemCall {
    @inline(__always)
    static func run<Result: SignedInteger>(
        _ operation: String, _ file: @autoclosure () -> String, _ call: () -> Result
    ) throws(IOFailure) -> Result {
        while true {
            let result = call()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw IOFailure(operation, file(), number) }
        }
    }
}
