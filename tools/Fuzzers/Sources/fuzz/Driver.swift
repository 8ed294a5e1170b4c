import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The loop of libFuzzer, whose symbols come with the runtime that tools/fuzz links.
enum Driver {
    private typealias Callback = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

    @_silgen_name("LLVMFuzzerRunDriver")
    private static func runDriver(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
        _ callback: Callback
    ) -> CInt

    /// Tells a process that libFuzzer starts what its target is.
    static let targetVariable = "SHALE_FUZZ_TARGET"

    /// The target that the callback runs, which can't capture anything.
    private static let target = Mutex<Target?>(nil)

    static func run(_ chosen: Target, _ arguments: [String]) {
        target.withLock { $0 = chosen }
        guard unsafe setenv(targetVariable, chosen.name, 1) == 0 else { return Fuzz.stop("no memory", 1) }
        // Never freed: the driver keeps them.
        let copies = unsafe (CommandLine.arguments.prefix(1) + arguments).map { unsafe strdup($0) }
        let vector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: copies.count + 1)
        for (index, copy) in unsafe copies.enumerated() { unsafe (vector + index).initialize(to: copy) }
        unsafe (vector + copies.count).initialize(to: nil)
        var count = CInt(copies.count)
        var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe vector
        exit(unsafe runDriver(&count, &place, { unsafe Driver.feed($0, $1) }))
    }

    private static func feed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
        do {
            try target.withLock { $0 }?.run(input)
        } catch {
            let line = "FINDING: \(error)\n"
            _ = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
            // As a crash, so that the fuzzer keeps the input.
            abort()
        }
        return 0
    }
}
