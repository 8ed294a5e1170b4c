import ShalePlatform
import Synchronization
import Testing

@Suite struct ThreadTests {
    @Test func aLockExcludes() throws {
        final class Counter: @unchecked Sendable {
            let lock = Lock()
            var value = 0
        }
        let counter = Counter()
        let threads = try (0..<4).map { index in
            try WorkerThread.start(name: "shale-test-\(index)") {
                for _ in 0..<10_000 { counter.lock.withLock { counter.value += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.value == 40_000)
        #expect(counter.lock.tryLock())
        #expect(!counter.lock.tryLock())
        counter.lock.unlock()
    }

    @Test func aThreadCanBeJoinedTwiceOrLeftAlone() throws {
        let runs = Atomic(0)
        let ran = Parker()
        let thread = try WorkerThread.start(name: "a name that is longer than fifteen bytes") {
            runs.add(1, ordering: .sequentiallyConsistent)
        }
        thread.join()
        thread.join()
        #expect(runs.load(ordering: .sequentiallyConsistent) == 1)
        _ = try WorkerThread.start(name: "detached") { ran.unpark() }
        ran.park()
    }

    @Test func aConditionWakesOneOrAll() throws {
        final class Gate: @unchecked Sendable {
            let lock = Lock()
            let condition: Condition
            var permits = 0
            var passed = 0
            init() { condition = Condition(lock) }
            func pass() {
                lock.withLock {
                    while permits == 0 { condition.wait() }
                    permits -= 1
                    passed += 1
                }
            }
        }
        let gate = Gate()
        let threads = try (0..<3).map { _ in try WorkerThread.start(name: "waiter") { gate.pass() } }
        gate.lock.withLock {
            gate.permits = 1
            gate.condition.signal()
        }
        gate.lock.withLock {
            gate.permits += 2
            gate.condition.broadcast()
        }
        for thread in threads { thread.join() }
        #expect(gate.passed == 3)
    }

    @Test func aTimedWaitEndsByItself() {
        let lock = Lock()
        let condition = Condition(lock)
        let start = SystemTime().monotonicNanoseconds
        lock.withLock { while condition.timedWait(nanoseconds: 5_000_000) {} }
        #expect(SystemTime().monotonicNanoseconds - start >= 5_000_000)
    }
}

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
