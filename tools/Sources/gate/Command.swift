import Subprocess

/// Runs other programs.
enum Command {
    private static let outputMax = 1 << 30
    private static let errorMax = 1 << 24

    /// Returns the output of `program`, run with `arguments` and `input`. Throws for any exit code but 0.
    static func output(
        _ program: String, _ arguments: [String], input: String = "", environment: [String: String] = [:]
    ) async throws -> String {
        let variables = environment.map { (Environment.Key(stringLiteral: $0), Optional($1)) }
        let ended = try await run(
            .name(program), arguments: Arguments(arguments),
            environment: .inherit.updating(Dictionary(uniqueKeysWithValues: variables)), input: .string(input),
            output: .string(limit: outputMax), error: .string(limit: errorMax))
        guard ended.terminationStatus.isSuccess else {
            throw GateError("\(program) failed, \(ended.terminationStatus): \(ended.standardError.suffix(2000))")
        }
        return ended.standardOutput
    }
}
