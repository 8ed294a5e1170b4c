import ShaleBase
import ShalePlatform
import Synchronization
import TestSupport
import Testing

/// Calls a closure when it is freed.
final class Tracked: Sendable {
    let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
}

final class Counter: Sendable {
    private let storage = Atomic(0)

    var value: Int { storage.load(ordering: .sequentiallyConsistent) }

    func increment() { storage.add(1, ordering: .sequentiallyConsistent) }
}

@Suite struct EpochTests {
    @Test func anObjectIsFreedOnceItsRetirersPinIsOver() {
        let domain = EpochDomain()
        let freed = Counter()
        let slot = domain.pin()
        domain.retire(Tracked { freed.increment() })
        domain.collect()
        #expect(freed.value == 0)
        domain.unpin(slot)
        domain.collect()
        #expect(freed.value == 1)
        #expect(domain.retiredCount == 0)
    }

    @Test func nestedPinsProtectUntilTheOutermostEnds() {
        let domain = EpochDomain()
        let freed = Counter()
        let outer = domain.pin()
        let inner = domain.pin()
        domain.retire(Tracked { freed.increment() })
        domain.unpin(inner)
        domain.collect()
        #expect(outer.isPinned)
        #expect(freed.value == 0)
        domain.unpin(outer)
        domain.collect()
        #expect(freed.value == 1)
        #expect(!outer.isPinned)
    }

    @Test func aPinMadeAfterTheRetirementDoesNotHoldItUp() {
        let domain = EpochDomain()
        let freed = Counter()
        domain.retire(Tracked { freed.increment() })
        domain.withPin { _ in domain.collect() }
        #expect(freed.value == 1)
    }

    @Test func anotherThreadsPinProtects() throws {
        let domain = EpochDomain()
        let freed = Counter()
        let reader = try PinnedThread(in: domain)
        domain.retire(Tracked { freed.increment() })
        domain.collect()
        #expect(freed.value == 0)
        reader.letGo()
        reader.join()
        domain.quiesce()
        #expect(freed.value == 1)
    }

    @Test func anotherThreadsPinIsWaitedForUpToALimit() throws {
        let domain = EpochDomain()
        let freed = Counter()
        let reader = try PinnedThread(in: domain)
        domain.retire(Tracked { freed.increment() })
        #expect(!domain.quiesce(within: 1_000_000))
        reader.letGo()
        #expect(domain.quiesce(within: .max))
        #expect(freed.value == 1)
        reader.join()
    }

    @Test func aThreadsOwnPinIsNotWaitedFor() {
        let domain = EpochDomain()
        let freed = Counter()
        domain.withPin { _ in
            domain.retire(Tracked { freed.increment() })
            #expect(!domain.quiesce(within: .max))
        }
        #expect(domain.quiesce(within: .max))
        #expect(freed.value == 1)
    }

    @Test func theOldestOfSeveralPinsDecides() throws {
        let domain = EpochDomain()
        let freed = Counter()
        // This thread has the first slot and the oldest pin. The other thread pins after the retirement.
        let slot = domain.pin()
        domain.retire(Tracked { freed.increment() })
        let late = try PinnedThread(in: domain)
        domain.collect()
        #expect(freed.value == 0)
        domain.unpin(slot)
        domain.collect()
        #expect(freed.value == 1)
        late.letGo()
        late.join()
    }

    @Test func retireCollectsByItselfByCountAndByBytes() {
        let domain = EpochDomain()
        let freed = Counter()
        for _ in 0..<EpochDomain.collectEveryCount { domain.retire(Tracked { freed.increment() }) }
        #expect(freed.value == EpochDomain.collectEveryCount)
        domain.retire(Tracked { freed.increment() }, bytes: EpochDomain.collectEveryBytes)
        #expect(freed.value == EpochDomain.collectEveryCount + 1)
    }

    @Test func aRawBlockGoesToItsOwnFunction() {
        let domain = EpochDomain()
        let freed = Counter()
        let context = unsafe Unmanaged.passRetained(Tracked { freed.increment() }).toOpaque()
        unsafe domain.retire(context) { block in unsafe Unmanaged<Tracked>.fromOpaque(block).release() }
        domain.quiesce()
        #expect(freed.value == 1)
    }

    @Test func aDeinitMayRetireInTurn() {
        let domain = EpochDomain()
        let freed = Counter()
        for _ in 0..<100 {
            domain.retire(Tracked { domain.retire(Tracked { freed.increment() }) })
        }
        while domain.retiredCount > 0 { domain.quiesce() }
        #expect(freed.value == 100)
    }

    @Test func aDomainsEndFreesWhatIsLeft() {
        let freed = Counter()
        do {
            let domain = EpochDomain()
            domain.retire(Tracked { freed.increment() })
        }
        #expect(freed.value == 1)
    }

    @Test func everyThreadHasASlotAndAScratchOfItsOwnReturnedAtItsEnd() throws {
        let domain = EpochDomain()
        let count = 200
        let gates = (0..<count).map { _ in Parker() }
        let arrived = Counter()
        let last = Parker()
        let threads = try (0..<count).map { index in
            try WorkerThread.start(name: "slot-\(index)") {
                domain.withPin { slot in
                    slot.keyScratch.store(UInt64(index), at: slot.keyScratch.count - 8)
                    arrived.increment()
                    last.unpark()
                    gates[index].park()
                    #expect(slot.keyScratch.bytes.u64(at: slot.keyScratch.count - 8) == UInt64(index))
                }
            }
        }
        while arrived.value < count { last.park() }
        #expect(domain.ownedSlotCount == count)
        for gate in gates { gate.unpark() }
        for thread in threads { thread.join() }
        #expect(domain.ownedSlotCount == 0)
    }

    @Test func theScratchHoldsTheLongestKey() {
        EpochDomain.shared.withPin { slot in #expect(slot.keyScratch.count == 16_384 + 64) }
    }
}
