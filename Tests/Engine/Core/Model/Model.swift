import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation

/// An engine and an oracle that get the same operations and must give the same answers.
final class Model {
    struct HeldSnapshot {
        let snapshot: Engine.Snapshot
        let moment: ModelOracle.Moment
    }

    let profile: ModelProfile
    /// The model of the disk: drawn, and part of every failure's message.
    let system: SystemModel
    let random: SeededRandom
    let universe: KeyUniverse
    let pool: ValuePool
    let time = ModelTime()
    var options: Engine.Options
    var files: SimulatedFileSystem
    var engine: Engine
    var oracle: ModelOracle
    var snapshots: [HeldSnapshot] = []
    var cursors: [HeldCursor] = []
    var reader: Reader?
    /// The number of times that the store was opened since the reader was compared, each with a new manifest.
    var reopenings = 0
    /// The sequence of a running transaction, whose versions must be kept.
    var transactionMoment: UInt64?
    var checkpoints = 0
    /// The sequences at which a power loss may cut: the last durable one, then one after each later batch.
    var prefixes: [UInt64] = [0]
    /// The digest of all reads: runs that differ only in options give the same digest.
    var digest = Hasher()
    var coverage = ModelCoverage()
    private(set) var steps = 0

    init(_ profile: ModelProfile, seed: UInt64) throws {
        self.profile = profile
        random = SeededRandom(seed: seed)
        universe = KeyUniverse(numbered: profile.numberedKeys, awkward: profile.hasAwkwardKeys)
        pool = ValuePool(SeededRandom(seed: seed ^ 0x5bd1_e995))
        options = profile.options
        options.time = time
        var withThreads = false
        if case .threads = profile.scheduling { withThreads = true }
        system = SystemModel.drawn(for: "\(profile) \(seed)", withThreads: withThreads)
        files = SimulatedFileSystem(seed: seed, model: system)
        files.recordsOperations = false
        engine = try TestStore.open(files, options, profile.scheduling)
        oracle = ModelOracle(slots: profile.slots, keyCount: universe.count, milliseconds: time.wallMilliseconds)
    }

    func run(steps count: Int) throws {
        for _ in 0..<count {
            steps += 1
            try step()
        }
        try compareAll()
        try reopen()
        try compareAll()
    }

    // MARK: Choices

    var anyRank: Int {
        // Half of the operations use a few keys.
        random.below(2) == 0
            ? random.below(min(40, universe.count)) * (universe.count / 40 + 1) % universe.count
            : random.below(universe.count)
    }

    /// Returns a slot with a namespace, which is created if necessary.
    func anySlot() throws -> Int {
        let slot = random.below(profile.slots)
        if oracle.namespaces[slot] == nil { try create(slot) }
        return slot
    }

    func create(_ slot: Int) throws {
        let id = try engine.createNamespace(named: Array("namespace \(slot)".utf8))
        oracle.create(slot, id)
    }

    func id(_ slot: Int) throws -> NamespaceID {
        guard let namespace = oracle.namespaces[slot] else { throw failure("slot \(slot) has no namespace") }
        return namespace.id
    }

    /// Returns the present, or a live snapshot.
    func anyMoment() -> (ModelOracle.Moment, Engine.Snapshot?) {
        guard !snapshots.isEmpty, random.below(3) == 0 else { return (oracle.now, nil) }
        let held = snapshots[random.below(snapshots.count)]
        return (held.moment, held.snapshot)
    }

    var oldestNeeded: UInt64 {
        var oldest = min(transactionMoment ?? oracle.sequence, prefixes.first ?? 0)
        for held in snapshots { oldest = min(oldest, held.moment.sequence) }
        return oldest
    }

    /// Records the states that a power loss may leave, after every batch.
    func wrote(_ durability: Durability?) {
        if durability == .synced { madeDurable() } else { prefixes.append(oracle.sequence) }
    }

    func madeDurable() { prefixes = [oracle.sequence] }

    func failure(_ text: String) -> ModelFailure { ModelFailure(description: "step \(steps), \(system): \(text)") }

    func name(_ rank: Int) -> String {
        let key = universe.keys[rank]
        return key.count > 40 ? "\(key.prefix(6))… (\(key.count) bytes)" : "\(key)"
    }
}

/// A wall clock that moves only when told to, and a running monotonic clock, so that back-pressure is real.
final class ModelTime: TimeSource {
    let manual = ManualTime()

    var wallMilliseconds: Int64 { manual.wallMilliseconds }
    var monotonicNanoseconds: UInt64 { SystemTime().monotonicNanoseconds }
}

/// A disagreement between the engine and the oracle.
struct ModelFailure: Error, CustomStringConvertible {
    let description: String
}
