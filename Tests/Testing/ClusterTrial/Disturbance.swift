import ShalePlatform
import TestSupport

/// Something that happens to the cluster while a client writes. At most one OSD is away at once, because two of three
/// replicas must be up.
enum Disturbance: Sendable {
    case none
    /// An OSD does not run for most of the time, as with a disk that is overloaded.
    case slow(Int)
    /// An OSD hangs until the client is dead: what the client has sent may still happen.
    case paused(Int)
    case killed(Int)
    /// The monitor is cut off.
    case partition

    init(_ random: SeededRandom) {
        let osd = random.below(3)
        switch random.below(10) {
        case 0..<3: self = .none
        case 3..<5: self = .slow(osd)
        case 5..<7: self = .paused(osd)
        case 7..<8: self = .killed(osd)
        default: self = .partition
        }
    }

    var name: String {
        switch self {
        case .none: "none"
        case .slow: "slow OSDs"
        case .paused: "hanging OSDs"
        case .killed: "killed OSDs"
        case .partition: "partitions of the monitor"
        }
    }

    /// Disturbs the cluster for a duration. Everything runs again after ``end(_:)`` only.
    func run(_ cluster: LoopbackCluster, for duration: Duration) async throws {
        let end = ContinuousClock.now + duration
        switch self {
        case .none: break
        case .slow(let osd):
            while ContinuousClock.now < end {
                try await cluster.run("pause", "\(osd)")
                try await Task.sleep(for: .milliseconds(60))
                try await cluster.run("start", "\(osd)")
                try await Task.sleep(for: .milliseconds(20))
            }
        case .paused(let osd): try await cluster.run("pause", "\(osd)")
        case .killed(let osd): try await cluster.run("kill", "\(osd)")
        case .partition: try await cluster.run("partition")
        }
        try await Task.sleep(until: max(end, ContinuousClock.now), clock: .continuous)
    }

    func end(_ cluster: LoopbackCluster) async throws {
        switch self {
        case .none: return
        case .slow(let osd), .paused(let osd), .killed(let osd): try await cluster.run("start", "\(osd)")
        case .partition: try await cluster.run("heal")
        }
        try await cluster.waitUntilAllAreUp()
    }
}
