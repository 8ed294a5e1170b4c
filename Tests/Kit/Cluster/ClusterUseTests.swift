import ShalePlatform
import Testing

/// A test that fills the cluster runs beside no other test that uses it.
@Suite
struct ClusterUseTests {
    private let use = ClusterUse()
    private let gate = TaskGate()

    /// Starts a use that ends when the gate is open.
    private func begin(alone: Bool, _ log: Locked<[Bool]>) async -> Task<Void, any Error> {
        let (uses, waiting) = (log.withLock { $0.count }, use.waitingCount)
        let task = Task {
            try await use.with(alone: alone) {
                log.withLock { $0.append(alone) }
                await gate.pass()
                #expect(ClusterUse.hasBegun)
            }
        }
        while log.withLock({ $0.count }) == uses, use.waitingCount == waiting { await Task.yield() }
        return task
    }

    @Test
    func aUseThatIsAloneWaitsForThoseBeforeIt() async throws {
        let log = Locked<[Bool]>([])
        var tasks: [Task<Void, any Error>] = []
        for alone in [false, false, true, false, true, false] { tasks.append(await begin(alone: alone, log)) }
        #expect(log.withLock { $0 } == [false, false])
        gate.open()
        for task in tasks { try await task.value }
        #expect(log.withLock { $0 } == [false, false, true, false, true, false])
        #expect(!ClusterUse.hasBegun)
    }

    @Test
    func othersWaitForAUseThatIsAlone() async throws {
        let log = Locked<[Bool]>([])
        var tasks: [Task<Void, any Error>] = []
        for alone in [true, false, false] { tasks.append(await begin(alone: alone, log)) }
        #expect(log.withLock { $0 } == [true])
        #expect(use.waitingCount == 2)
        gate.open()
        for task in tasks { try await task.value }
    }
}
