import ShaleEngine
import ShalePlatform

/// The plan of one cycle, drawn from its seed: each process computes it independently.
struct CyclePlan {
    /// The moment of the kill.
    enum Moment {
        /// This long after the start: mostly while the child opens the store.
        case afterStart(microseconds: UInt32)
        /// This long after this number of acknowledgements.
        case afterAcknowledgements(Int, microseconds: UInt32)
    }

    static let writersMax = 8

    let seed: UInt64
    let writers: Int
    let options: EngineOptions
    /// The number of actions of each writer after which the child closes the store itself. Mostly it is killed long
    /// before.
    let actionsMax: Int
    let moment: Moment
    /// The checks that the parent makes after the kill.
    let readsOnlyFirst: Bool
    let verifies: Bool
    let readsOtherWays: Bool
    let reopens: Bool
    let closes: Bool
    let checkOptions: EngineOptions

    init(seed: UInt64) {
        self.seed = seed
        let random = SeededRandom(seed: seed)
        writers = 1 + random.below(CyclePlan.writersMax)
        options = EngineOptions.random(seed: random.next())
        checkOptions = EngineOptions.random(seed: random.next())
        actionsMax = random.chance(0.1) ? 1 + random.below(100) : .max
        let delay = UInt32(random.below(3000))
        moment =
            random.chance(0.2)
            ? .afterStart(microseconds: UInt32(random.below(20_000)))
            : .afterAcknowledgements(1 << random.below(11) + random.below(20), microseconds: delay)
        readsOnlyFirst = random.chance(0.2)
        verifies = random.chance(0.25)
        readsOtherWays = random.chance(0.3)
        reopens = random.chance(0.2)
        closes = random.chance(0.5)
    }

    static func checkpointPath(_ store: String, writer: Int, action: Int) -> String {
        "\(store)-copy-\(writer)-\(action)"
    }
}
