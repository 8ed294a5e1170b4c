import ShaleBase
import ShalePlatform
import TestSupport
import Testing

@testable import ShaleEngine

/// The times at which observed entries expire, within bounded memory.
@Suite struct ExpiryScheduleTests {
    private func key(_ number: Int) -> ExpirySchedule.Key {
        ExpirySchedule.Key(namespace: NamespaceID(rawValue: 1), bytes: [UInt8(number >> 8), UInt8(number & 255)])
    }

    private func expiry(_ milliseconds: Int64) -> ChangeRing.Expiry {
        ChangeRing.Expiry(milliseconds: milliseconds, isPurgeable: false)
    }

    @Test func theSoonestAreKeptAndTheHorizonTellsTheRest() {
        var schedule = ExpirySchedule(byteLimit: 66 * 10)
        var random = SeededRandom(seed: Ring.seed)
        let times = (1...100).map { Int64($0) }.shuffled(using: &random)
        for time in times { schedule.set(key(Int(time)), expiry(time)) }
        let horizon = schedule.horizon ?? 0
        #expect(horizon > 1)
        #expect(schedule.next == 1)
        #expect(schedule.takeDue(at: 100) == (1..<Int(horizon)).map(key), "seed \(Ring.seed)")
        #expect(schedule.next == horizon)
    }

    @Test func aKeyThatIsSetAgainHasItsNewTime() {
        var schedule = ExpirySchedule()
        schedule.set(key(1), expiry(10))
        schedule.set(key(1), expiry(20))
        schedule.set(key(2), expiry(10))
        schedule.set(key(2), nil)
        #expect(schedule.takeDue(at: 19) == [])
        #expect(schedule.takeDue(at: 20) == [key(1)])
        #expect(schedule.next == nil)
    }

    /// Many entries with one expiry don't fit: some are reported, and the rest is known to be missing.
    @Test func entriesThatExpireTogetherBeyondTheLimitLeaveAHorizon() {
        var schedule = ExpirySchedule(byteLimit: 66 * 10)
        for number in 0..<100 { schedule.set(key(number), expiry(5)) }
        #expect(schedule.horizon == 5)
        #expect(!schedule.takeDue(at: 5).isEmpty)
    }

    /// A reader that fails leaves a gap, and the next look tries again.
    @Test func entriesBeyondTheHorizonAreReadAgain() throws {
        let reads = Locked(0)
        let expiries = ObservedExpiries(byteLimit: 66 * 10) { (found) throws(StorageError) in
            let count = reads.withLock {
                $0 += 1
                return $0
            }
            if count == 2 { throw StorageError(.ioFailure, "injected") }
            for number in 0..<100 where count == 1 || number >= 50 {
                found(self.key(number), self.expiry(Int64(number)))
            }
        }
        try expiries.begin()
        let first = expiries.takeDue(at: 99) { 99 }
        #expect(first.isIncomplete)
        #expect(first.keys.first == key(0))
        #expect(reads.withLock { $0 } == 2)
        let second = eventually { reads.withLock { $0 } == 3 || !expiries.takeDue(at: 99, { 99 }).keys.isEmpty }
        #expect(second)
    }

    /// While the entries are read at the start, changes of the whole namespace come, or changes are lost. Then the
    /// reading proves nothing about its keys.
    @Test(arguments: [ObservedChange.Kind.purged, .truncated, .dropped, nil])
    func whatWasReadBeforeAChangeOfAllKeysIsNotReported(_ kind: ObservedChange.Kind?) throws {
        let observed = Locked<ObservedExpiries?>(nil)
        let isFirst = Locked(true)
        let expiries = ObservedExpiries { (found) throws(StorageError) in
            guard isFirst.withLock({ $0 }) else { return }
            isFirst.withLock { $0 = false }
            found(self.key(1), self.expiry(10))
            guard let expiries = observed.withLock({ $0 }) else { return }
            guard let kind else { return expiries.forget() }
            expiries.note(
                ObservedChange(sequence: 5, kind: kind, namespace: self.key(1).namespace, name: [], key: []), nil)
        }
        observed.withLock { $0 = expiries }
        try expiries.begin()
        let outcome = expiries.takeDue(at: 10) { 10 }
        #expect(outcome.keys == [])
        #expect(outcome.isIncomplete)
        observed.withLock { $0 = nil }
    }

    /// Entries beyond the horizon that expire while they are read are found by nobody.
    @Test(arguments: [(500, true), (499, false)] as [(Int64, Bool)])
    func aHorizonThatPassesDuringTheReadingIsAGap(end: Int64, isIncomplete: Bool) throws {
        let expiries = ObservedExpiries(byteLimit: 66 * 10) { (found) throws(StorageError) in
            for number in 0..<11 { found(self.key(number), self.expiry(number < 5 ? 1 : 500)) }
        }
        try expiries.begin()
        let outcome = expiries.takeDue(at: 1) { end }
        #expect(Set(outcome.keys) == Set((0..<5).map(key)))
        #expect(outcome.isIncomplete == isIncomplete)
    }
}
