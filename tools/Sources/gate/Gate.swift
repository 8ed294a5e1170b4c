import Foundation
import Subprocess

#if canImport(Darwin)
    import System
#else
    import SystemPackage
#endif

/// Compares the hot paths of a release build with the recorded values. `tools/gate` builds and runs it.
@main
enum Gate {
    static let usage = """
        usage: gate --binary PATH --files DIR --compiler TEXT [counts|calls] [--update] [--only NAME]...
        """

    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            var isHeld = true
            if options.checksCounts { isHeld = try await InstructionGate(options).run() }
            if options.checksCalls { isHeld = try await CallGate(options).run() && isHeld }
            exit(isHeld ? 0 : 1)
        } catch {
            print("gate: \(error)")
            exit(2)
        }
    }
}

/// A problem that prevents the gate from judging.
struct GateError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The options of the command line.
struct Options {
    /// The executable `hot-paths`, built for release.
    var binary = ""
    /// The directory of the files with thresholds and rules.
    var files = ""
    /// One line that names the compiler.
    var compiler = ""
    var checksCounts = true
    var checksCalls = true
    /// True if the gate records the measured values instead of judging them.
    var updates = false
    /// The hot paths to count; empty for all.
    var names: [String] = []

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw GateError("\(option) needs a value\n\(Gate.usage)") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--binary": binary = try value(of: argument)
            case "--files": files = try value(of: argument)
            case "--compiler": compiler = try value(of: argument)
            case "--only": names.append(try value(of: argument))
            case "--update": updates = true
            case "counts": checksCalls = false
            case "calls": checksCounts = false
            default: throw GateError("unknown argument \(argument)\n\(Gate.usage)")
            }
        }
        guard !binary.isEmpty, !files.isEmpty else { throw GateError(Gate.usage) }
        guard checksCounts || checksCalls else { throw GateError("either counts or calls, or neither for both") }
        guard !updates || names.isEmpty else { throw GateError("--update measures all paths: leave --only out") }
    }
}

/// Runs other programs.
enum Command {
    private static let outputMax = 1 << 30
    private static let errorMax = 1 << 24

    /// Returns the output of `program`, a path or a name to look up in `PATH`, run with `arguments` and `input`.
    /// Throws for any exit code but 0.
    static func output(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> String {
        let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
        let ended = try await run(
            program.contains("/") ? .path(FilePath(program)) : .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)), input: .string(input),
            output: .string(limit: outputMax), error: .string(limit: errorMax))
        guard ended.terminationStatus.isSuccess else {
            throw GateError("\(program) failed, \(ended.terminationStatus): \(ended.standardError.suffix(2000))")
        }
        return ended.standardOutput
    }
}
