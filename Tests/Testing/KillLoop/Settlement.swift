import Foundation
import ShaleEngine

/// The progress of each writer when the child died, derived from what the store shows.
///
/// 1. A writer waits for each of its actions. The store must therefore show all acknowledged actions, and all or
///    nothing of the running one (contract D-1, A-1, D-6).
/// 2. Every action takes a known number of sequences, whose sum must equal the store's count. Otherwise a writer's
///    batch is missing that precedes another's (D-3).
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
        // If both states are shown, the running action has no visible effect.
        sequencesMin += sequences + (showsState ? 0 : running?.sequences ?? 0)
        sequencesMax += sequences + (showsNext ? running?.sequences ?? 0 : 0)
        states.append(showsNext ? next : state)
    }

    /// Checks that the store's sequences since `base` equal those of the actions that it shows.
    func check(_ engine: Engine, base: UInt64) throws {
        let counted = engine.recovery.lastSequence - base
        guard (sequencesMin...sequencesMax).contains(counted) else {
            throw KillLoopError("\(counted) sequences are counted, \(sequencesMin) ... \(sequencesMax) are shown")
        }
    }
}

/// A copy of the killed child's files, by hard links. Opening a store changes no file: it only creates and removes
/// files, so the copy stays unchanged.
enum Evidence {
    static func path(of store: String) -> String { store + "-killed" }

    static func keep(of store: String) throws {
        let files = FileManager.default
        let copy = path(of: store)
        try remove(copy)
        guard files.fileExists(atPath: store) else { return }
        try files.createDirectory(atPath: copy, withIntermediateDirectories: true)
        for name in try files.subpathsOfDirectory(atPath: store) {
            var isDirectory = ObjCBool(false)
            unsafe _ = files.fileExists(atPath: "\(store)/\(name)", isDirectory: &isDirectory)
            if isDirectory.boolValue {
                try files.createDirectory(atPath: "\(copy)/\(name)", withIntermediateDirectories: true)
            } else {
                try files.linkItem(atPath: "\(store)/\(name)", toPath: "\(copy)/\(name)")
            }
        }
    }

    static func remove(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
    }
}
