#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs programs under schedules: ShaleEngine.docc, "Tests". Only in builds with the compilation condition
/// `SHALE_SCHEDULES`, which `tools/schedules` makes.
///
///     schedules --from SEED --count N            N drawn schedules of drawn programs
///     schedules --replay SEED                    one of them again
///     schedules --exhaust PREEMPTIONS            all schedules of small programs; --share I/N, --limit N for each
///     schedules --program P --count N            N drawn schedules of the program P
///     schedules --program P --schedule S         the schedule S of P
///     schedules --shrink SEED                    a smaller program and a shorter schedule that fail like SEED's
///
/// Exits with 1 after the first run that fails.
@main
enum Schedules {
    static func main() {
        #if SHALE_SCHEDULES
            do {
                try Command(CommandLine.arguments.dropFirst()).run()
            } catch {
                fail("\(error)")
            }
        #else
            fail("built without SHALE_SCHEDULES: tools/schedules builds and runs it")
        #endif
    }

    static func fail(_ text: String) -> Never {
        let bytes = Array("FAILED \(text)\n".utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
        _exit(1)
    }
}
