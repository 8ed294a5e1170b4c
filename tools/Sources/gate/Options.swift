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
