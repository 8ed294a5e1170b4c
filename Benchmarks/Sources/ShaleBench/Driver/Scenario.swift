/// Workloads that share a store, for several peers. One child process measures them for one peer.
struct Scenario: Sendable {
    var peers: [PeerName]
    var variant = PeerSettings.Variant.standard
    var valueBytes = 100
    var entries: Int
    var operationsMax = 1_000_000
    /// The maximum of repetitions, for slow scenarios; `nil` for as many as the run has.
    var repetitionsMax: Int?
    var steps: [Assignment.Step]

    init(_ peers: [PeerName], entries: Int, _ steps: [(Workload, [Int])]) {
        self.peers = peers
        self.entries = entries
        self.steps = steps.flatMap { workload, threads in
            threads.map { Assignment.Step(workload: workload, threads: $0) }
        }
    }

    var subject: Workload.Subject { steps.first?.workload.subject ?? .bytes }

    /// Returns the scenario in each of several sizes.
    func sized(_ sizes: [Int]) -> [Scenario] {
        sizes.map { size in
            var scenario = self
            scenario.entries = size
            return scenario
        }
    }

    func with(_ change: (inout Scenario) -> Void) -> Scenario {
        var scenario = self
        change(&scenario)
        return scenario
    }
}
