import ShaleBase
import ShalePlatform
import Synchronization
import Testing

/// Readers follow a pointer that writers keep replacing. The test overwrites freed boxes, so that a box that is freed
/// too early shows by its content, and to ThreadSanitizer as a race.
@Suite struct EpochStressTests {
    /// A block of memory whose second word is the complement of the first while the block is alive.
    private final class Shared: @unchecked Sendable {
        let domain = EpochDomain()
        let current = Atomic<UInt>(0)
        let stop = Atomic(false)
        let violations = Counter()
        let reads = Counter()

        static func makeBlock(_ value: UInt64) -> UnsafeMutableRawPointer {
            let block = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 16)
            unsafe block.storeBytes(of: value, as: UInt64.self)
            unsafe block.storeBytes(of: ~value, toByteOffset: 8, as: UInt64.self)
            return unsafe block
        }

        func replace(_ value: UInt64) {
            let fresh = unsafe UInt(bitPattern: Shared.makeBlock(value))
            let old = current.exchange(fresh, ordering: .acquiringAndReleasing)
            guard let block = unsafe UnsafeMutableRawPointer(bitPattern: old) else { return }
            unsafe domain.retire(block, bytes: 1 << 12) { block in
                unsafe block.storeBytes(of: 0, as: UInt64.self)
                unsafe block.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
                unsafe block.deallocate()
            }
        }

        func read() {
            domain.withPin { _ in
                guard
                    let block = unsafe UnsafeRawPointer(bitPattern: current.load(ordering: .acquiring))
                else { return }
                let first = unsafe block.load(as: UInt64.self)
                let second = unsafe block.load(fromByteOffset: 8, as: UInt64.self)
                if first != ~second { violations.increment() }
            }
        }
    }

    @Test func readersNeverSeeAFreedBlock() throws {
        let shared = Shared()
        shared.replace(0)
        var threads: [WorkerThread] = []
        for _ in 0..<3 {
            threads.append(
                try WorkerThread.start(name: "reader") {
                    while !shared.stop.load(ordering: .relaxed) {
                        for _ in 0..<100 { shared.read() }
                        shared.reads.increment()
                    }
                })
        }
        // Short-lived threads: their slots change owners while collectors scan.
        threads.append(
            try WorkerThread.start(name: "churn") {
                while !shared.stop.load(ordering: .relaxed) {
                    do {
                        try WorkerThread.start(name: "guest") { for _ in 0..<50 { shared.read() } }.join()
                    } catch {
                        Issue.record(error)
                        return
                    }
                }
            })
        let writers = try (0..<2).map { writer in
            try WorkerThread.start(name: "writer") {
                for round in 0..<20_000 { shared.replace(UInt64(round * 2 + writer)) }
            }
        }
        for thread in writers { thread.join() }
        shared.stop.store(true, ordering: .relaxed)
        for thread in threads { thread.join() }
        #expect(shared.violations.value == 0)
        #expect(shared.reads.value > 0)
        shared.domain.quiesce()
        #expect(shared.domain.retiredCount == 0)
        #expect(shared.domain.ownedSlotCount <= 1)
        unsafe UnsafeMutableRawPointer(bitPattern: shared.current.load(ordering: .acquiring))?.deallocate()
    }
}
