import ShalePlatform
import Testing

@testable import ShaleCluster

/// The bound of operations in flight.
@Suite
struct OperationSlotsTests {
    @Test
    func noMoreThanTheNumberOfSlotsAreInUse() async {
        let slots = OperationSlots(3)
        let largest = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    #expect(await slots.take())
                    largest.withLock { $0 = max($0, slots.inFlight) }
                    await Task.yield()
                    slots.giveBack()
                }
            }
        }
        #expect(largest.withLock { $0 } == 3)
        #expect(slots.inFlight == 0)
    }

    @Test
    func closingRefusesWhatWaitsAndAwaitsWhatIsInFlight() async {
        let slots = OperationSlots(1)
        #expect(await slots.take())
        let waiting = Task { await slots.take() }
        let closing = Task { await slots.close() }
        let isRefused = await waiting.value == false
        #expect(isRefused)
        #expect(slots.inFlight == 1)
        slots.giveBack()
        await closing.value
        #expect(slots.inFlight == 0)
        #expect(await slots.take() == false)
    }
}
