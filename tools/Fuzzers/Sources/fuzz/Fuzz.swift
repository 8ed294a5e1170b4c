import ShaleCommand
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
            return Files.save(InputPack.pack(arguments.dropFirst().map { Files.read($0) }), to: pack)
        }
        if first == "unpack", arguments.count == 2 {
            return save(try InputPack.unpack(Files.read(arguments[0])), to: arguments[1] + "/kept-")
        }
        Driver.run(try target(first), arguments)
    }

    private static func target(_ name: String) throws -> Target {
        guard let target = Target.all.first(where: { $0.name == name }) else { throw UnknownTarget(name: name) }
        return target
    }

    private static func writeSeeds(of target: Target, to folder: String) throws {
        save(try target.seeds(), to: folder + "/seed-")
    }

    private static func save(_ inputs: [[UInt8]], to prefix: String) {
        for (index, input) in inputs.enumerated() { Files.save(input, to: prefix + String(index)) }
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

/// A parser of the library or of the command, as the fuzzer sees it.
struct Target: Sendable {
    let name: String
    let about: String
    let run: @Sendable ([UInt8]) throws -> Void
    /// Inputs that real writers made.
    let seeds: @Sendable () throws -> [[UInt8]]

    static let all =
        FuzzTarget.all.map { target in
            Target(name: target.name, about: target.about, run: target.run, seeds: target.seeds)
        }
        + InputTarget.all.map { Target(name: $0.name, about: $0.about, run: $0.run, seeds: { [] }) }
}

/// Files of inputs. An error ends the process: nobody is left to handle it.
enum Files {
    static func save(_ bytes: [UInt8], to path: String) {
        guard let file = unsafe fopen(path, "w") else { return Fuzz.stop("can't write \(path)", 1) }
        let written = unsafe bytes.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        guard unsafe fclose(file) == 0, written == bytes.count else { return Fuzz.stop("can't write \(path)", 1) }
    }

    static func read(_ path: String) -> [UInt8] {
        guard let file = unsafe fopen(path, "r") else {
            Fuzz.stop("can't read \(path)", 1)
            return []
        }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
            if count == 0 { break }
            bytes += piece.prefix(count)
        }
        guard unsafe ferror(file) == 0, unsafe fclose(file) == 0 else {
            Fuzz.stop("can't read \(path)", 1)
            return []
        }
        return bytes
    }
}
