import ShaleBase
import ShaleSimulation
import Synchronization
import TestSupport
import Testing

@testable import ShaleEngine

/// DESIGN.md, "Observation": which changes a subscription tells, and when there is one.
@Suite struct SubscriptionTests {
    private static func key(_ event: ChangeEvent?) -> [UInt8]? {
        guard case .change(let change) = event else { return nil }
        return change.key
    }

    @Test func aRangeHoldsWhatLiesWithinItsBounds() {
        let keys: [[UInt8]] = [[1], [2], [2, 0], [3], [4]]
        let lower: [(KeyRange.Bound, Set<[UInt8]>)] = [
            (.unbounded, Set(keys)), (.included([2]), [[2], [2, 0], [3], [4]]), (.excluded([2]), [[2, 0], [3], [4]]),
        ]
        let upper: [(KeyRange.Bound, Set<[UInt8]>)] = [
            (.unbounded, Set(keys)), (.included([3]), [[1], [2], [2, 0], [3]]), (.excluded([3]), [[1], [2], [2, 0]]),
        ]
        for (from, above) in lower {
            for (to, below) in upper {
                let range = KeyRange(lower: from, upper: to)
                #expect(Set(keys.filter(range.holds)) == above.intersection(below), "\(from) \(to)")
            }
        }
    }

    /// Reads continue in a store that a failure has poisoned, and so do subscriptions.
    @Test func aPoisonedStoreIsObservedAClosedOneIsNot() throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try TestStore(files, scheduling: .deferred)
        let namespace = try store.namespace("n")
        let filter = ChangeFilter(.named(Array("n".utf8)))
        let before = try store.engine.subscribe(to: filter, capacity: 10)
        try store.put("a", "1", in: namespace)
        files.inject(FaultRule(on: [.sync], when: .match(1), .error(5)))
        #expect(throws: StorageError.self) { try store.put("b", "1", in: namespace, durability: .synced) }
        #expect(store.engine.statistics.isPoisoned)
        let after = try store.engine.subscribe(to: filter, capacity: 10)
        #expect(Self.key(before.next(nanoseconds: 60_000_000_000)) == Array("a".utf8))
        #expect(after.poll() == nil)
        #expect(throws: StorageError.self) { try store.engine.close() }
        #expect(
            code { () throws(StorageError) in _ = try store.engine.subscribe(to: filter, capacity: 10) } == .closed)
    }

    /// Expiries that are not known can't be reported, so a subscription to them does not begin.
    @Test func anErrorOfReadingTheExpiriesIsThrown() throws {
        let files = SimulatedFileSystem(seed: 1)
        let store = try TestStore(files, scheduling: .deferred)
        let namespace = try store.namespace("n")
        try store.put("a", "1", in: namespace, options: PutOptions(expiresAtMilliseconds: .max - 1))
        try store.engine.flush()
        let filter = ChangeFilter(.named(Array("n".utf8)))
        files.inject(FaultRule(on: [.read], path: "segments/*", when: .always, repeatsForever: true, .error(5)))
        let found = code { () throws(StorageError) in
            try store.engine.subscribe(to: filter, capacity: 10, reportsExpiry: true).end()
        }
        #expect(found == .ioFailure && !files.faultsFired.isEmpty)
        files.removeFaultRules()
        try store.engine.subscribe(to: filter, capacity: 10, reportsExpiry: true).end()
    }

    /// The end of one leaves the others what they need.
    @Test func theEndOfASubscriptionTakesNothingFromOthers() throws {
        let store = try TestStore(scheduling: .deferred)
        let namespace = try store.namespace("n")
        let filter = ChangeFilter(.named(Array("n".utf8)))
        var one: ChangeSubscription? = try store.engine.subscribe(to: filter, capacity: 10)
        let other = try store.engine.subscribe(to: filter, capacity: 10)
        let core = store.engine.core
        weak var gone: ChangeSubscription?
        gone = one
        one?.end()
        one = nil
        #expect(eventually { gone == nil })
        try store.put("a", "1", in: namespace)
        #expect(Self.key(other.next(nanoseconds: 60_000_000_000)) == Array("a".utf8))
        // Without subscriptions, commits read only the mask of observed namespaces.
        #expect(core.committer.observedMask.load(ordering: .relaxed) != 0)
        other.end()
        #expect(eventually { core.committer.observedMask.load(ordering: .relaxed) == 0 })
    }

    /// A commit that tells a change wakes the reader once. Later commits that tell nothing leave it alone.
    @Test func aReaderThatIsWokenIsNoLongerToBeWoken() throws {
        let store = try TestStore(scheduling: .deferred)
        let namespace = try store.namespace("n")
        let changes = try store.engine.subscribe(to: ChangeFilter(.named(Array("n".utf8))), capacity: 10)
        let committer = store.engine.core.committer
        committer.lock.withLock { committer.needsWakeup = true }
        try store.put("a", "1", in: namespace, durability: .synced)
        #expect(committer.lock.withLock { !committer.needsWakeup })
        #expect(Self.key(changes.next(nanoseconds: 60_000_000_000)) == Array("a".utf8))
    }
}

/// DESIGN.md, "Observation": the ring holds 1 MiB of changes, and what does not fit is one gap.
@Suite struct ChangeRingTests {
    private static let capacity = 1 << 20
    private static let namespace = NamespaceID(rawValue: 7)

    /// Keys of 0 and 16 bytes fill the ring to its last byte. The others leave a rest, which the next round skips.
    @Test(arguments: [0, 16, 17, 200])
    func aFullRingTellsAllThatItHoldsAndThenOneGap(keyBytes: Int) {
        let ring = ChangeRing()
        ring.prepare()
        let key = OwnedBytes(count: 200)
        defer { withExtendedLifetime(key) {} }
        let room = UInt64(Self.capacity / (16 + (keyBytes + 15) / 16 * 16))
        var last: SequenceNumber = 0
        for _ in 0..<3 {
            let first = last + 1
            last += room + 5
            for sequence in first...last {
                key.mutable.store(sequence, at: 0)
                ring.append(.set, sequence, Self.namespace, key.bytes.slice(0, keyBytes))
            }
            _ = ring.publish()
            #expect(ring.hasGap)
            var told = first
            while ring.read(
                limit: 100,
                { record in
                    #expect(record.sequence == told && record.kind == .set && record.namespace == Self.namespace)
                    #expect(record.key.count == keyBytes && (keyBytes == 0 || record.key.u64(at: 0) == told))
                    told += 1
                }) > 0
            {}
            #expect(told == first + room)
            let lost = ring.takeLost()
            #expect(lost?.from == told && lost?.through == last)
            #expect(!ring.hasGap)
        }
    }

    /// To wake the reader is a system call, which a writer makes only if it has to.
    @Test func aReaderIsWokenOnlyWhileItSleeps() {
        let ring = ChangeRing()
        ring.prepare()
        ring.append(.dropped, 1, Self.namespace, .empty)
        #expect(!ring.publish())
        // There is something to read, so it does not sleep.
        ring.waitForChanges { false }
        ring.append(.dropped, 2, Self.namespace, .empty)
        #expect(!ring.publish())
    }
}
