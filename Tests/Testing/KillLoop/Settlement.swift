import ShaleEngine

/// How far each writer had come when the child died, found out from what the store shows.
///
/// A writer waits for each of its actions, so the store must show all that it was told had returned, and of the one that
/// was running all or nothing (contract D-1, A-1, D-6). And every action takes a known number of sequences: their sum must
/// be what the store has counted, or some writer's batch is missing before another's (D-3).
struct Settlement {
    private(set) var states: [WriterState] = []
    private var sequencesMin: UInt64 = 0
    private var sequencesMax: UInt64 = 0

    init(
        of engine: Engine, after plan: CyclePlan, _ child: KilledChild, from old: [WriterState], otherWays: Bool
    ) throws {
        let reader = StoreReader(engine: engine)
        for writer in 0..<CyclePlan.writersMax {
            try settle(writer, plan, child.acknowledged[writer], old[writer], reader, otherWays)
        }
    }

    private mutating func settle(
        _ writer: Int, _ plan: CyclePlan, _ acknowledged: Int, _ old: WriterState, _ reader: StoreReader,
        _ otherWays: Bool
    ) throws {
        var state = old
        var sequences: UInt64 = 0
        var script = WriterScript(cycleSeed: plan.seed, writer: writer, existing: old.existing)
        for _ in 0..<acknowledged {
            let action = script.next()
            state.apply(action)
            sequences += action.sequences
        }
        let running = writer < plan.writers && acknowledged < plan.actionsMax ? script.next() : nil
        var next = state
        if let running { next.apply(running) }
        let showsState = try reader.shows(state, of: writer, otherWays: otherWays)
        let showsNext = try running != nil && reader.shows(next, of: writer, otherWays: otherWays)
        guard showsState || showsNext else {
            let text = running.map { "\($0)" } ?? "none"
            throw KillLoopError(
                "writer=\(writer): neither its \(acknowledged) acknowledged actions are shown, nor the running one "
                    + "beside them: \(text.prefix(300))")
        }
        // Where both are shown, the running action changes nothing that can be seen.
        sequencesMin += sequences + (showsState ? 0 : running?.sequences ?? 0)
        sequencesMax += sequences + (showsNext ? running?.sequences ?? 0 : 0)
        states.append(showsNext ? next : state)
    }

    /// Whether the store counts as many sequences as the actions took that it shows; it had counted `base` before.
    func check(_ engine: Engine, base: UInt64) throws {
        let counted = engine.recovery.lastSequence - base
        guard (sequencesMin...sequencesMax).contains(counted) else {
            throw KillLoopError("\(counted) sequences are counted, \(sequencesMin) ... \(sequencesMax) are shown")
        }
    }
}
