#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs drawn programs under drawn schedules: ShaleEngine.docc, "Tests", "Schedules". Only in builds with the
/// compilation condition `SHALE_SCHEDULES`, which `tools/schedules` makes.
///
///     schedules [--count N] [--from SEED] [--replay SEED]
@main
enum Schedules {
    static func main() {
        #if SHALE_SCHEDULES
            Exploration(arguments: CommandLine.arguments.dropFirst()).run()
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
