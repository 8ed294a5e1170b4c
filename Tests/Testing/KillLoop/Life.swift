import Foundation
import ShaleBase
import ShaleEngine
import ShalePlatform

/// The life of one store with repeated kills, and its expected content.
final class Life {
    private let path: String
    private let random: SeededRandom
    private var states = [WriterState](repeating: WriterState(), count: CyclePlan.writersMax)
    private var lastSequence: UInt64 = 0
    private var reader: LiveReader?

    init(seed: UInt64, at path: String) {
        self.path = path
        random = SeededRandom(seed: seed)
    }

    /// Runs one child and checks the store afterwards.
    func runCycle(_ figures: inout Figures) throws {
        let plan = CyclePlan(seed: random.next())
        let child = try KilledChild(plan, at: path)
        figures.cycles += 1
        figures.acknowledged += child.total
        try Evidence.keep(of: path)
        if plan.readsOnlyFirst, child.total > 0 { try checkReadOnly(plan, child) }
        var engine = try Engine.open(at: path, options: plan.checkOptions)
        if child.hasClosed, engine.recovery.replayedBatches > 0 {
            throw KillLoopError("a closed store has batches to replay: \(engine.recovery)")
        }
        let settlement = try Settlement(of: engine, after: plan, child, from: states, otherWays: plan.readsOtherWays)
        try settlement.check(engine, base: lastSequence)
        states = settlement.states
        lastSequence = engine.recovery.lastSequence
        figures.replayed += engine.recovery.replayedBatches
        if let reader {
            figures.refreshes = max(figures.refreshes, try reader.check(through: engine.statistics.lastSequence))
        } else {
            reader = try LiveReader(at: path, plan.options)
        }
        if plan.verifies { try verify(engine, &figures) }
        figures.checkpoints += try checkCheckpoints(plan, child)
        if plan.reopens { try reopen(&engine, plan) }
        // Without closing, the engine ends as it would with the process.
        if plan.closes { try engine.close() }
    }

    /// Ends the reader beside the store.
    func end() {
        reader?.stop()
        reader = nil
    }

    private func checkReadOnly(_ plan: CyclePlan, _ child: KilledChild) throws {
        var options = plan.checkOptions
        options.mode = .readOnly
        let engine = try Engine.open(at: path, options: options)
        _ = try Settlement(of: engine, after: plan, child, from: states, otherWays: false)
    }

    private func verify(_ engine: Engine, _ figures: inout Figures) throws {
        let report = try engine.verify()
        figures.verifications += 1
        if let problem = report.problems.first { throw KillLoopError("verify: \(problem)") }
    }

    /// Checks that a shown state is shown again (contract D-4).
    private func reopen(_ engine: inout Engine, _ plan: CyclePlan) throws {
        try engine.close()
        engine = try Engine.open(at: path, options: plan.options)
        let reader = StoreReader(engine: engine)
        for (writer, state) in states.enumerated() {
            guard try reader.shows(state, of: writer, otherWays: false) else {
                throw KillLoopError("writer=\(writer): another state is shown after reopening")
            }
        }
    }

    /// Opens the checkpoints that the child has acknowledged, and removes all. Returns their number.
    private func checkCheckpoints(_ plan: CyclePlan, _ child: KilledChild) throws -> Int {
        var count = 0
        for writer in 0..<plan.writers {
            for action in 0...child.acknowledged[writer] {
                let copy = CyclePlan.checkpointPath(path, writer: writer, action: action)
                guard FileManager.default.fileExists(atPath: copy) else { continue }
                if action < child.acknowledged[writer] {
                    count += 1
                    let engine = try Engine.open(at: copy, options: plan.checkOptions)
                    if let problem = try engine.verify().problems.first {
                        throw KillLoopError("verify of checkpoint \(copy): \(problem)")
                    }
                    try engine.close()
                }
                try FileManager.default.removeItem(atPath: copy)
            }
        }
        return count
    }
}
