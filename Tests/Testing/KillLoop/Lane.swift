import Foundation
import ShalePlatform

/// A sequence of stores, each from its creation through many kills to its removal.
struct Lane: Sendable {
    private let path: String
    private let cycles: Int
    private let deadline: ContinuousClock.Instant
    private let firstSeed: UInt64

    private static let cyclesOfAStoreMax = 40

    /// Runs all lanes in parallel. Throws the first failure after all lanes have ended.
    static func runAll(_ arguments: Arguments) throws -> Figures {
        let total = Locked(Figures())
        let failure = Locked<(any Error)?>(nil)
        let deadline = ContinuousClock.now + .seconds(arguments.seconds)
        let threads = try (0..<arguments.lanes).map { index in
            let lane = Lane(
                path: "\(arguments.directory)/shale-kill-loop-\(getpid())-\(index)",
                cycles: arguments.cycles / arguments.lanes + (index < arguments.cycles % arguments.lanes ? 1 : 0),
                deadline: deadline,
                firstSeed: index == 0 ? arguments.seed : SeededRandom(seed: arguments.seed &+ UInt64(index)).next())
            return try WorkerThread.start(name: "lane-\(index)") {
                do {
                    let figures = try lane.run()
                    total.withLock { $0.add(figures) }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
        }
        for thread in threads { thread.join() }
        if let error = failure.withLock({ $0 }) { throw error }
        return total.withLock { $0 }
    }

    private func run() throws -> Figures {
        var figures = Figures()
        var seed = firstSeed
        while !isDone(figures) {
            let random = SeededRandom(seed: seed)
            let life = Life(seed: random.next(), at: path)
            defer { life.end() }
            figures.lives += 1
            for cycle in 1...(1 + random.below(Lane.cyclesOfAStoreMax)) where !isDone(figures) {
                do {
                    try life.runCycle(&figures)
                } catch {
                    throw KillLoopError(
                        "cycle \(cycle) of a store: \(error)\nFAILED, SEED=\(seed): kill-loop --lanes 1 --seed \(seed) "
                            + "--cycles \(cycle)\nwhat was killed: \(Evidence.path(of: path)); after opening: \(path)")
                }
            }
            life.end()
            try Evidence.remove(path)
            try Evidence.remove(Evidence.path(of: path))
            seed = random.next()
        }
        return figures
    }

    private func isDone(_ figures: Figures) -> Bool { figures.cycles >= cycles || ContinuousClock.now >= deadline }
}
