import Foundation
import TestSupport

/// The command line.
struct Arguments {
    var cycles = Ring.choose(commit: 25, nightly: 2000, release: 2500)
    var seconds = Int.max / 2
    var seed = Ring.seed
    /// The number of stores used in parallel: most of the time is spent waiting for the disk.
    var lanes = 2
    var directory = FileManager.default.temporaryDirectory.path

    init(_ words: [String]) throws {
        var rest = words[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw KillLoopError(KillLoop.usage) }
            switch option {
            case "--cycles": cycles = try Arguments.number(value)
            case "--seconds": seconds = try Arguments.number(value)
            case "--seed": seed = try Arguments.number(value)
            case "--lanes": lanes = try Arguments.number(value)
            case "--directory": directory = value
            default: throw KillLoopError(KillLoop.usage)
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(_ text: String) throws -> Number {
        guard let number = Number(text) else { throw KillLoopError(KillLoop.usage) }
        return number
    }
}
