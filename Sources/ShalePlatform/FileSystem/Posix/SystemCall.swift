import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif
/// How system calls are made: an interrupted one is repeated, a failed one becomes an ``IOFailure``.
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

    /// For calls that must not be repeated whatever happened: after a failed sync the state of the data is unknown, and
    /// a second sync could report success for data that the first one lost.
    static func once(_ operation: String, _ file: @autoclosure () -> String, _ status: Int32) throws(IOFailure) {
        if status < 0 { throw IOFailure(operation, file(), errno) }
    }
}
