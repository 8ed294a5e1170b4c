#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The work of one child process: workloads in sequence on one store of one peer.
struct Assignment: Codable, Sendable {
    struct Step: Codable, Hashable, Sendable {
        var workload: Workload
        var threads = 1
    }

    var run = 0
    var peer: PeerName
    var settings = PeerSettings()
    var entries: Int
    /// The maximum of reads and mixed operations of a workload.
    var operationsMax = 1_000_000
    /// The rate of a paced fill.
    var ratePerSecond = 50_000.0
    var seed: UInt64
    /// The directory for the store. The child creates it, and the process that gave the assignment removes it.
    var directory: String
    var steps: [Step]

    func encoded() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

    init(encoded text: String) throws { self = try JSONDecoder().decode(Assignment.self, from: Data(text.utf8)) }

    init(peer: PeerName, entries: Int, seed: UInt64, directory: String, steps: [Step]) {
        self.peer = peer
        self.entries = entries
        self.seed = seed
        self.directory = directory
        self.steps = steps
    }
}
