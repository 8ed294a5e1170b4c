import ShaleCommand
import _ShaleFuzzing

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
