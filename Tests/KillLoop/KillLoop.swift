import Foundation
import ShalePlatform

/// Kills a process that writes to a store, at a random moment, again and again, and checks what it leaves: contract D-1,
/// D-3, D-4, D-6, A-1, R-1.
@main
enum KillLoop {
    static let usage = """
        usage: kill-loop [--cycles N] [--seconds N] [--seed N] [--directory DIR]

        Ends after so many cycles or seconds, whichever comes first. A failure prints the seed that begins with the store
        which failed, and leaves its files.
        """

    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.first == "child", arguments.count == 3, let seed = UInt64(arguments[2]) {
                try Child(CyclePlan(seed: seed), at: arguments[1]).run()
            } else {
                try run(Arguments(arguments))
            }
        } catch {
            FileHandle.standardError.write(Data("kill-loop: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: Arguments) throws {
        let clock = ContinuousClock()
        let start = clock.now
        var figures = Figures()
        var seed = arguments.seed
        let path = "\(arguments.directory)/shale-kill-loop-\(getpid())"
        func isDone() -> Bool {
            figures.cycles >= arguments.cycles || clock.now - start >= .seconds(arguments.seconds)
        }
        while !isDone() {
            let random = SeededRandom(seed: seed)
            let life = Life(seed: random.next(), at: path)
            figures.lives += 1
            for cycle in 1...(1 + random.below(40)) where !isDone() {
                do {
                    try life.runCycle(&figures)
                } catch {
                    throw KillLoopError(
                        "cycle \(cycle) of a store: \(error)\nSEED=\(seed): kill-loop --seed \(seed) --cycles \(cycle)\n"
                            + "what was killed: \(Evidence.path(of: path)), and opened afterwards: \(path)")
                }
            }
            try Evidence.remove(path)
            try Evidence.remove(Evidence.path(of: path))
            seed = random.next()
        }
        let seconds = Double((clock.now - start) / .milliseconds(1)) / 1000
        print(figures.summary(seconds: seconds) + ", SEED=\(arguments.seed)")
    }
}

/// The command line.
private struct Arguments {
    var cycles = Int.max
    var seconds = Int.max / 2
    var seed = UInt64.random(in: 1...999_999_999)
    var directory = FileManager.default.temporaryDirectory.path

    init(_ words: [String]) throws {
        var rest = words[...]
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw KillLoopError(KillLoop.usage) }
            switch (option, Int(value)) {
            case ("--cycles", let count?): cycles = count
            case ("--seconds", let count?): seconds = count
            case ("--seed", let number?): seed = UInt64(bitPattern: Int64(number))
            case ("--directory", _): directory = value
            default: throw KillLoopError(KillLoop.usage)
            }
        }
        if cycles == .max, seconds == .max / 2 { cycles = 100 }
    }
}
