import ShaleBase
import ShalePlatform
import Testing

/// Work items on several threads: each is done once, and the first failure ends the work.
///
/// The caller's thread runs `poll` meanwhile.
@Suite struct ParallelWorkTests {
    @Test(arguments: [1, 2, 5]) func everyItemIsDoneOnce(threads: Int) throws {
        let done = Locked([Int](repeating: 0, count: 300))
        try ParallelWork.run(300, threads: threads, poll: {}) { (item, pause) throws(StorageError) in
            try pause()
            done.withLock { $0[item] += 1 }
        }
        #expect(done.withLock { $0 } == [Int](repeating: 1, count: 300))
        try ParallelWork.run(0, threads: threads, poll: {}) { (_, _) throws(StorageError) in Issue.record("an item") }
    }

    @Test func oneThreadDoesThemInOrder() throws {
        let order = Locked<[Int]>([])
        try ParallelWork.run(50, threads: 1, poll: {}) { (item, _) throws(StorageError) in
            order.withLock { $0.append(item) }
        }
        #expect(order.withLock { $0 } == Array(0..<50))
    }

    /// Short work on several threads takes as long as the work, not as long as the pause between two polls.
    @Test func theLastItemOfAnotherThreadEndsTheWait() throws {
        let time = SystemTime()
        let caller = EpochDomain.shared.threadNumber
        var fastest = UInt64.max
        for _ in 0..<50 {
            let began = time.monotonicNanoseconds
            let hasBegun = Parker()
            try ParallelWork.run(2, threads: 2, poll: {}) { (_, _) throws(StorageError) in
                // The caller's item ends first.
                if EpochDomain.shared.threadNumber == caller { return hasBegun.park() }
                hasBegun.unpark()
                // Work that is shorter than the pause between two polls.
                sleepNanoseconds(300_000)
            }
            fastest = min(fastest, time.monotonicNanoseconds - began)
        }
        #expect(fastest < 4_000_000)
    }

    @Test(arguments: [1, 3]) func theFirstFailureEndsTheOthers(threads: Int) {
        let begun = Locked(0)
        let error = #expect(throws: StorageError.self) {
            try ParallelWork.run(1000, threads: threads, poll: {}) { (item, pause) throws(StorageError) in
                begun.withLock { $0 += 1 }
                if item == 2 { throw StorageError(.corruption, "the third") }
                try pause()
            }
        }
        #expect(error?.code == .corruption)
        #expect(begun.withLock { $0 } < 1000)
    }

    /// The same while the caller only waits.
    @Test func anErrorOfThePollEndsTheWork() throws {
        let isOver = Locked(false)
        let error = #expect(throws: StorageError.self) {
            let poll = { () throws(StorageError) in
                if isOver.withLock({ $0 }) { throw StorageError(.cancelled, "enough") }
            }
            try ParallelWork.run(2, threads: 2, poll: poll) { (item, pause) throws(StorageError) in
                // Item 0 ends at once and requests the end of the other item, on whichever thread it runs.
                guard item == 0 else { return isOver.withLock { $0 = true } }
                while true { try pause() }
            }
        }
        #expect(error?.code == .cancelled)
    }
}
