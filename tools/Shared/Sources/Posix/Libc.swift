#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Glibc
#endif

/// A system call that failed.
public struct SystemCallError: Error, Equatable, CustomStringConvertible {
    public let call: String
    /// The object of the call: a path, or the name of a descriptor.
    public let subject: String
    public let number: Int32

    /// Makes the error of `call` from the current `errno`.
    public init(_ call: String, _ subject: String, _ number: Int32 = errno) {
        self.call = call
        self.subject = subject
        self.number = number
    }

    public var description: String { unsafe "\(subject): \(call): \(String(cString: strerror(number)))" }
}
