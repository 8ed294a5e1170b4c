import ShalePlatform
import Synchronization
import Testing

@Suite struct ParkerTests {
    @Test(arguments: [0, 200])
    func aPermitGivenFirstIsNotLostAndTwoCountAsOne(_ spinCount: Int) {
        let parker = Parker(spinCount: spinCount)
        parker.unpark()
        parker.unpark()
        parker.park()
        #expect(!parker.park(nanoseconds: 1_000_000))
    }

    @Test func aTimedParkTakesAPermitThatComesInTime() throws {
        let parker = Parker()
        let thread = try WorkerThread.start(name: "giver") { parker.unpark() }
        #expect(parker.park(nanoseconds: 60_000_000_000))
        thread.join()
        #expect(!parker.park(nanoseconds: 0))
    }

    /// The count is a plain variable. Only the parkers order its accesses; the thread sanitizer reports a race if they
    /// don't.
    @Test(arguments: [0, 1, 200])
    func twoThreadsHandATurnAndPlainMemoryBackAndForth(_ spinCount: Int) throws {
        final class Count: @unchecked Sendable { var value = 0 }
        let ping = Parker(spinCount: spinCount)
        let pong = Parker(spinCount: spinCount)
        let rounds = 20_000
        let count = Count()
        let thread = try WorkerThread.start(name: "pong") {
            for _ in 0..<rounds {
                ping.park()
                count.value += 1
                pong.unpark()
            }
        }
        for round in 1...rounds {
            ping.unpark()
            pong.park()
            #expect(count.value == round)
        }
        thread.join()
    }
}
