import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Synchronization
import TestSupport

/// A store that many threads use at once, with its invariants.
///
/// Every writer owns pairs of keys and always writes both keys of a pair together, with an increasing number. Under one
/// snapshot the numbers of a pair are therefore equal, and no reader ever sees a number decrease.
final class StressStore: Sendable {
    static let pairs = 40

    let files: SimulatedFileSystem
    let engine: Engine
    let pairs: NamespaceID
    let counters: NamespaceID
    let litter: NamespaceID
    let writers: Int
    private let deadline: UInt64
    private let hasEnded = Atomic(false)
    /// The last number of each pair, by writer.
    let written: Locked<[[Int]]>

    init(writers: Int, seconds: Double, _ change: (inout Engine.Options) -> Void = { _ in }) throws {
        files = SimulatedFileSystem(seed: 1, model: .drawn(for: "stress", withThreads: true))
        files.recordsOperations = false
        var options = TestStore.smallOptions
        options.time = SystemTime()
        options.compactionThreads = 3
        options.l0CompactionTrigger = 2
        change(&options)
        engine = try TestStore.open(files, options, .threads)
        pairs = try engine.createNamespace(named: Array("pairs".utf8))
        counters = try engine.createNamespace(named: Array("counters".utf8))
        litter = try engine.createNamespace(named: Array("litter".utf8))
        self.writers = writers
        written = Locked(Array(repeating: Array(repeating: 0, count: StressStore.pairs), count: writers))
        deadline = SystemTime().monotonicNanoseconds + UInt64(seconds * 1e9)
    }

    var isOver: Bool { hasEnded.load(ordering: .relaxed) || SystemTime().monotonicNanoseconds >= deadline }

    /// Ends the run early, after a failure.
    func end() { hasEnded.store(true, ordering: .relaxed) }

    static func key(_ side: Character, _ writer: Int, _ pair: Int) -> [UInt8] {
        Array("\(side)/\(writer)/\(pair)".utf8)
    }

    /// Returns the number, padded to a length that depends on it, so that values have many sizes.
    static func value(_ number: Int) -> [UInt8] {
        Array("\(number)".utf8) + [UInt8](repeating: UInt8(ascii: " "), count: number * 37 % 900)
    }

    static func number(_ value: [UInt8]?) -> Int {
        guard let value else { return 0 }
        return value.prefix { $0 != UInt8(ascii: " ") }.reduce(0) { $0 * 10 + Int($1) - 48 }
    }
}

/// A violated invariant.
struct StressFailure: Error, CustomStringConvertible {
    let description: String
}

/// The duration of the tests with threads: 1 is a few seconds each, and `STRESS_SCALE` overrides the ring.
enum StressLimits {
    static let scale: Int =
        Ring.setting("STRESS_SCALE").flatMap { Int($0) } ?? Ring.choose(commit: 1, nightly: 8, release: 40)

    static func scaled(_ count: Int) -> Int { count * max(1, scale) }
}
