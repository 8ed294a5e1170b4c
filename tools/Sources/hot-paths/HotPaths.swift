import _ShaleHotPaths

/// Runs hot paths, for tools that watch from outside: `tools/gate` under callgrind, or perf.
///
///     hot-paths --list              name and operations per run, one path per line
///     hot-paths [NAME...]           prepares and warms each path, then runs it inside `measuredRegion`
@main
enum HotPaths {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments == ["--list"] {
            for path in HotPath.all { print(path.name, path.gateOperations, path.operation, separator: "\t") }
            return
        }
        for path in try chosen(arguments) {
            let prepared = try path.prepare()
            // Whatever happens once only is over after this.
            let expected = try prepared.run(path.gateOperations)
            let digest = try measuredRegion(prepared, path.gateOperations)
            print(path.name, path.gateOperations, digest == expected ? "same" : "different", separator: "\t")
        }
    }

    private static func chosen(_ names: [String]) throws -> [HotPath] {
        guard !names.isEmpty else { return HotPath.all }
        return try names.map { name in
            guard let path = HotPath.all.first(where: { $0.name == name }) else { throw UnknownHotPath(name: name) }
            return path
        }
    }
}

struct UnknownHotPath: Error { let name: String }

/// Runs the measured operations: callgrind counts between the entry and the end of this function.
///
/// It is not optimised, so that exactly one function has this name.
@inline(never) @_optimize(none)
func measuredRegion(_ path: PreparedHotPath, _ operations: Int) throws -> UInt64 {
    try path.run(operations)
}
