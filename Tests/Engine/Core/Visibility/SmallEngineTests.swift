import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

/// Short scripts on a real engine: all up to a length, and a sample of longer ones. CompactionTests covers the
/// retention rule itself far more thoroughly; this suite combines the rule with files, blocks, metadata and recovery.
@Suite struct SmallEngineTests {
    private func run(_ script: [SmallEngine.Step]) throws {
        let engine = try SmallEngine()
        let text = String(script.map(\.rawValue))
        for (i, step) in (script + [.flush, .compact, .reclaim, .kill]).enumerated() {
            try engine.perform(step)
            if let problem = try engine.problem() {
                throw VisibilityFailure(
                    description: "\(Ring.reproduction) script \(text), step \(i + 1): \(problem)")
            }
        }
    }

    private static let steps = SmallEngine.Step.allCases

    @Test func allShortScriptsKeepEveryObserversView() throws {
        var scripts = 0
        let writes = SmallEngineTests.steps.filter { "pqxdne".contains($0.rawValue) }
        for first in writes {
            for second in SmallEngineTests.steps {
                for third in SmallEngineTests.steps {
                    try run([first, second, third])
                    scripts += 1
                }
            }
        }
        Ring.covered(scripts, "short scripts, complete", "3 steps, the first a write")
    }

    @Test func aSampleOfLongScriptsKeepsEveryObserversView() throws {
        let scripts = Ring.choose(commit: 1500, nightly: 100_000, release: 100_000)
        let random = SeededRandom(seed: Ring.seed)
        for _ in 0..<scripts {
            try run(
                (0..<4 + random.below(9)).map { _ in SmallEngineTests.steps[random.below(SmallEngineTests.steps.count)]
                })
        }
        Ring.covered(scripts, "short scripts, drawn", "4 to 12 steps")
    }
}

struct VisibilityFailure: Error, CustomStringConvertible {
    let description: String
}

/// A real engine with three keys, and an oracle: see ``SmallEngineTests``.
final class SmallEngine {
    enum Step: Character, CaseIterable {
        case put = "p"
        case putPurgeable = "q"
        case putExpiring = "x"
        case delete = "d"
        case putNeighbour = "n"
        case putElsewhere = "e"
        case purge = "U"
        case truncate = "T"
        case drop = "D"
        case snapshot = "s"
        case release = "r"
        case time = "z"
        case flush = "f"
        case compact = "C"
        case reclaim = "R"
        case kill = "K"
    }

    private static let keys: [[UInt8]] = [[0x61], [0x62]]
    private static let value: [UInt8] = Array("the value of a small entry".utf8)

    private var files = SimulatedFileSystem(seed: 1, model: .drawn(for: "visibility"))
    private var options = TestStore.smallOptions
    private let time = ManualTime()
    private var engine: Engine
    private var oracle: ModelOracle
    private var snapshots: [(snapshot: Engine.Snapshot, moment: ModelOracle.Moment)] = []

    init() throws {
        files.recordsOperations = false
        options.time = time
        // Only the script's steps flush and compact.
        options.l0CompactionTrigger = 8
        engine = try TestStore.open(files, options)
        oracle = ModelOracle(slots: 2, keyCount: 2, milliseconds: time.wallMilliseconds)
        for slot in 0..<2 { try create(slot) }
    }

    private func create(_ slot: Int) throws { oracle.create(slot, try engine.createNamespace(named: [UInt8(slot)])) }

    private func id(_ slot: Int) -> NamespaceID { oracle.namespaces[slot]?.id ?? NamespaceID(rawValue: 0) }

    func perform(_ step: Step) throws {
        switch step {
        case .put: try put(0, 0)
        case .putPurgeable: try put(0, 0, isPurgeable: true)
        case .putExpiring: try put(0, 0, lifetime: 5)
        case .putNeighbour: try put(0, 1, isPurgeable: true)
        case .putElsewhere: try put(1, 0, isPurgeable: true)
        case .delete:
            try engine.delete(SmallEngine.keys[0], in: id(0))
            oracle.write(0, 0, ModelOracle.Version(sequence: 0), oldest: 0)
        case .purge:
            try engine.purge([id(0)])
            oracle.purge([0])
        case .truncate:
            try engine.truncate([id(0)])
            oracle.truncate([0])
        case .drop:
            try engine.drop([id(0)])
            oracle.drop([0])
            try create(0)
        case .snapshot: snapshots.append((engine.snapshot(), oracle.now))
        case .release: if !snapshots.isEmpty { snapshots.removeFirst() }
        case .time:
            time.advance(milliseconds: 10)
            oracle.milliseconds += 10
        case .flush: try engine.flush()
        case .compact: try engine.compact()
        case .reclaim: try engine.reclaim()
        case .kill:
            snapshots = []
            files = files.crashClone(.processKill)
            files.recordsOperations = false
            engine = try TestStore.open(files, options)
        }
    }

    private func put(_ slot: Int, _ rank: Int, isPurgeable: Bool = false, lifetime: Int64? = nil) throws {
        let expiry = lifetime.map { oracle.milliseconds + $0 }
        // The value's length identifies the version.
        let count = Int32(oracle.sequence % 20) + 1
        try engine.put(
            Array(SmallEngine.value.prefix(Int(count))), forKey: SmallEngine.keys[rank], in: id(slot),
            options: PutOptions(isPurgeable: isPurgeable, expiresAtMilliseconds: expiry))
        oracle.write(
            slot, rank,
            ModelOracle.Version(
                sequence: 0, value: ValuePool.Extent(start: 0, count: count), isPurgeable: isPurgeable, expiry: expiry),
            oldest: 0)
    }

    /// Returns the first difference between the engine and the oracle; `nil` if they agree.
    func problem() throws -> String? {
        let observers = snapshots.map { (Optional($0.snapshot), $0.moment) } + [(nil, oracle.now)]
        for (snapshot, moment) in observers {
            for slot in 0..<2 {
                var expected: [String] = []
                for (rank, key) in SmallEngine.keys.enumerated() {
                    let version = oracle.find(slot, rank, at: moment)
                    let value = try engine.value(forKey: key, in: id(slot), at: snapshot)
                    guard value?.count == version.map({ Int($0.extent.count) }) else {
                        return "\(value?.count ?? -1) bytes instead of \(version?.extent.count ?? -1) at \(moment)"
                    }
                    if let value { expected.append("\(key)=\(value.count)") }
                }
                for order in [ScanOrder.forward, .reversed] {
                    let found = try engine.entries(in: id(slot), order: order, at: snapshot)
                        .map { "\($0.key)=\($0.value.count)" }
                    guard found == (order == .forward ? expected : expected.reversed()) else {
                        return "a scan shows \(found) instead of \(expected) at \(moment)"
                    }
                }
            }
        }
        return nil
    }
}
