#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What one child process is to do: workloads one after the other on one store of one peer.
struct Assignment: Codable, Sendable {
    struct Step: Codable, Hashable, Sendable {
        var workload: Workload
        var threads = 1
    }

    var run = 0
    var peer: PeerName
    var settings = PeerSettings()
    var entries: Int
    /// Reads and mixed operations of a workload, at most.
    var operationsMax = 1_000_000
    /// Of a paced fill.
    var ratePerSecond = 50_000.0
    var seed: UInt64
    /// For the store; it is made, and removed by whoever gave the assignment.
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
