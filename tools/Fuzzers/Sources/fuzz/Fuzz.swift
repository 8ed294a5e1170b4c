import _ShaleFuzzing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// libFuzzer around one target of the library:
///
///     fuzz list                      the targets
///     fuzz seeds TARGET FOLDER       writes the inputs that the target begins with
///     fuzz pack FILE INPUT...        packs inputs, in this order
///     fuzz unpack FILE FOLDER        writes the inputs of a packed file
///     fuzz TARGET ARGUMENT...        runs a target with arguments of libFuzzer
@main
enum Fuzz {
    private static let usage: Int32 = 64
    private static let forms =
        "fuzz list | seeds TARGET FOLDER | pack FILE INPUT... | unpack FILE FOLDER | TARGET ARGUMENT..."

    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let first = arguments.first else { return stop(forms, usage) }
        if first == "list" { return Target.all.forEach { print($0.name, $0.about, separator: "\t") } }
        // A merge starts this program again, with arguments of libFuzzer's alone.
        if first.hasPrefix("-"), let name = unsafe getenv(Driver.targetVariable) {
            return Driver.run(try target(unsafe String(cString: name)), arguments)
        }
        arguments.removeFirst()
        if first == "seeds", arguments.count == 2 {
            return try writeSeeds(of: try target(arguments[0]), to: arguments[1])
        }
        if first == "pack", let pack = arguments.first {
            return Files.write(InputPack.pack(arguments.dropFirst().map { Files.read($0) }), to: pack)
        }
        if first == "unpack", arguments.count == 2 {
            return write(try InputPack.unpack(Files.read(arguments[0])), to: arguments[1] + "/kept-")
        }
        Driver.run(try target(first), arguments)
    }

    private static func target(_ name: String) throws -> Target {
        guard let target = Target.all.first(where: { $0.name == name }) else { throw UnknownTarget(name: name) }
        return target
    }

    private static func writeSeeds(of target: Target, to folder: String) throws {
        write(try target.seeds(), to: folder + "/seed-")
    }

    private static func write(_ inputs: [[UInt8]], to prefix: String) {
        for (index, input) in inputs.enumerated() { Files.write(input, to: prefix + String(index)) }
    }

    static func stop(_ message: String, _ status: Int32) {
        let line = message + "\n"
        let written = unsafe line.withCString { unsafe write(2, $0, strlen($0)) }
        exit(written < 0 ? usage : status)
    }
}

private struct UnknownTarget: Error {
    let name: String
}
