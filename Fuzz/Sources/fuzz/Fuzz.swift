import _ShaleFuzzing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// libFuzzer around one target of the library: `fuzz list`, `fuzz seeds TARGET FOLDER`, `fuzz TARGET [libFuzzer's arguments]`.
@main
enum Fuzz {
    private static let usage: Int32 = 64

    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let first = arguments.first else { return stop("fuzz list | seeds TARGET FOLDER | TARGET ...", usage) }
        if first == "list" { return FuzzTarget.all.forEach { print($0.name, $0.about, separator: "\t") } }
        // A merge starts this program again, with arguments of libFuzzer's alone.
        if first.hasPrefix("-"), let name = unsafe getenv(Driver.targetVariable) {
            return Driver.run(try target(unsafe String(cString: name)), arguments)
        }
        arguments.removeFirst()
        if first == "seeds", arguments.count == 2 {
            return try writeSeeds(of: try target(arguments[0]), to: arguments[1])
        }
        Driver.run(try target(first), arguments)
    }

    private static func target(_ name: String) throws -> FuzzTarget {
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else { throw UnknownTarget(name: name) }
        return target
    }

    private static func writeSeeds(of target: FuzzTarget, to folder: String) throws {
        for (index, seed) in try target.seeds().enumerated() {
            let path = "\(folder)/seed-\(index)"
            guard let file = unsafe fopen(path, "w") else { return stop("can't write \(path)", 1) }
            let written = unsafe seed.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
            guard unsafe fclose(file) == 0, written == seed.count else { return stop("can't write \(path)", 1) }
        }
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
