import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Makes system calls: repeats a call that a signal interrupted, and turns a failure into an ``IOFailure``.
///
/// This covers every call: the application's signal handlers may lack SA_RESTART, and some calls ignore that flag.
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
