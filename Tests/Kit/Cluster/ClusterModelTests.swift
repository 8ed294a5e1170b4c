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
        @Test(.enabled(if: ClusterFixture.hasCluster))
        func aHistoryOnAClusterAgreesWithItsModel() async throws {
            let time = ManualTime()
            let store = try await ClusterFixture.open(time: time)
            let name = "model-\(Ring.seed)-\(SystemRandom().next())"
            var clients = [try await store.createNamespace(name, layout: ClusterModelTests.layout)]
            clients.append(try await ClusterFixture.open(time: time).namespace(name))
            let model = ClusterModel(seed: Ring.seed, time: time, clients: clients)
            for _ in 0..<Ring.choose(commit: 400, nightly: 20_000, release: 20_000) { try await model.step() }
            try await model.compareAll()
            try await store.dropNamespace(name)
            Ring.covered(model.operations, "operations of a real cluster against a model")
            await store.close()
        }
    #endif
}
