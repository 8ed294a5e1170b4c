import Shale
import ShalePlatform
import Synchronization
import TestSupport
import Testing

@testable import ShaleCluster

/// Histories of random operations by several clients, against a model.
@Suite
struct ClusterModelTests {
    private static let layout = ClusterLayout(shards: 3, partitioning: .separator(UInt8(ascii: "/")))

    @Test
    func everyHistoryAgreesWithItsModel() async throws {
        let histories = Ring.choose(commit: 20, nightly: 1_700, release: 1_700)
        let steps = 600
        var (operations, unanswered) = (0, 0)
        for history in 0..<UInt64(histories) {
            let seed = Ring.seed &+ history
            let (pool, time) = (SimulatedPool(), ManualTime())
            let store = try ClusterFixture.client(of: pool, time, isHasty: true)
            var clients = [try await store.createNamespace("a", layout: ClusterModelTests.layout)]
            clients.append(try await ClusterFixture.client(of: pool, time, isHasty: true).namespace("a"))
            let faults = SeededRandom(seed: seed ^ 0xFA17)
            let model = ClusterModel(seed: seed, time: time, clients: clients) { probability in
                guard probability > 0 else { return pool.onOperation { _ in nil } }
                pool.onOperation { operation in
                    guard faults.chance(probability) else { return nil }
                    guard case .write = operation, faults.chance(0.5) else { return .refused(.timedOut) }
                    return .answerLost
                }
            }
            do {
                for _ in 0..<steps { try await model.step() }
                try await model.compareAll()
            } catch {
                Issue.record("\(Ring.reproduction) history \(history): operation \(model.operations): \(error)")
                return
            }
            operations += model.operations
            unanswered += model.unanswered
        }
        Ring.covered(operations, "operations of a cluster against a model", "\(unanswered) without an answer")
    }

    #if RADOS
        /// Several at once: a snapshot waits for a round of the monitor, which takes up to a second.
        @Test(.enabled(if: ClusterFixture.hasCluster))
        func historiesOnAClusterAgreeWithTheirModels() async throws {
            let histories = Ring.choose(commit: 4, nightly: 50, release: 50)
            let steps = Ring.choose(commit: 100, nightly: 2_000, release: 2_000)
            let operations = try await ClusterUse.ofCluster.with {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    var (next, operations) = (0, 0)
                    while next < histories {
                        // Each has two connections.
                        if next >= 16 { operations += try await group.next() ?? 0 }
                        let seed = Ring.seed &+ UInt64(next)
                        group.addTask { try await ClusterModelTests.runOnCluster(seed, steps) }
                        next += 1
                    }
                    for try await count in group { operations += count }
                    return operations
                }
            }
            Ring.covered(operations, "operations of a real cluster against a model")
        }

        /// Returns the number of operations of a history.
        private static func runOnCluster(_ seed: UInt64, _ steps: Int) async throws -> Int {
            let time = ManualTime()
            let stores = [try await ClusterFixture.open(time: time), try await ClusterFixture.open(time: time)]
            let name = "model-\(seed)-\(SystemRandom().next())"
            var clients = [try await stores[0].createNamespace(name, layout: layout)]
            clients.append(try await stores[1].namespace(name))
            let model = ClusterModel(seed: seed, time: time, clients: clients)
            do {
                for _ in 0..<steps { try await model.step() }
                try await model.compareAll()
            } catch {
                Issue.record("\(Ring.reproduction) seed \(seed): operation \(model.operations): \(error)")
            }
            try await stores[0].dropNamespace(name)
            for store in stores { await store.close() }
            return model.operations
        }
    #endif
}
