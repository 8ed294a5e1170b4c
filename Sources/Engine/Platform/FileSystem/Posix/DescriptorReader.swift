package import ShaleBase

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads what a caller's file, pipe or socket still has. The descriptor stays the caller's, and stays open.
package struct DescriptorReader {
    private let number: CInt

    package init(_ number: CInt) { self.number = number }

    /// Opens the file at `path` and passes a reader of its content to `body`.
    package static func withFile<R, Failure: Error>(
        at path: String, failure: (IOFailure) -> Failure, _ body: (DescriptorReader) throws(Failure) -> R
    ) throws(Failure) -> R {
        let descriptor: Descriptor
        do throws(IOFailure) {
            descriptor = try Descriptor(openedAt: path, flags: O_RDONLY | O_CLOEXEC, path)
        } catch {
            throw failure(error)
        }
        defer { _ = descriptor.close() }
        return try body(DescriptorReader(descriptor.number))
    }

    /// Reads the next bytes into `target`, as many as there are at once; 0 at the end.
    package func read(into target: MutableBytes) throws(IOFailure) -> Int {
        try SystemCall.run("read", "descriptor \(number)") {
            #if canImport(Darwin)
                unsafe Darwin.read(number, target.start, target.count)
            #elseif canImport(Musl)
                unsafe Musl.read(number, target.start, target.count)
            #else
                unsafe Glibc.read(number, target.start, target.count)
            #endif
        }
    }
}
