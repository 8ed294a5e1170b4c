import ShaleBase
import ShaleCompaction
import ShaleManifest
import Testing

@Suite struct HorizonTests {
    /// Two snapshots can have the same sequence but different times, if nothing is written between them.
    @Test func observersOfOneSequenceAreOrderedByTime() {
        let early = ReadPoint(sequence: 4, wallMilliseconds: 10)
        let late = ReadPoint(sequence: 4, wallMilliseconds: 90)
        for snapshots in [[early, late], [late, early]] {
            let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [:])
            #expect(horizon.readPoints.map(\.wallMilliseconds) == [10, 90, 100])
        }
    }

    /// Two threads that begin snapshots at the same time may read sequence and clock in different orders.
    @Test func timeNeverFallsFromOneObserverToTheNext() {
        let late = ReadPoint(sequence: 4, wallMilliseconds: 12)
        let early = ReadPoint(sequence: 5, wallMilliseconds: 10)
        let horizon = Horizon(snapshots: [late, early], wallMilliseconds: 100, erasures: [:])
        #expect(horizon.readPoints.map(\.sequence) == [4, 5, .max])
        #expect(horizon.readPoints.map(\.wallMilliseconds) == [10, 10, 100])
    }

    @Test func anEntryThatExpiredBetweenTwoSnapshotsOfOneSequenceIsKeptForTheOlder() {
        let id = NamespaceID(rawValue: 1)
        let early = ReadPoint(sequence: 4, wallMilliseconds: 10)
        let late = ReadPoint(sequence: 4, wallMilliseconds: 90)
        for snapshots in [[early, late], [late, early]] {
            let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [id: Erasure()])
            var retention = Retention(horizon, normalises: false)
            retention.beginKey(id)
            let trailer = Trailer(3, .put(purgeable: false, hasExpiry: true))
            #expect(retention.judge(trailer, expiry: 50) { true } == .keep(trailer))
        }
    }
}

/// At the last level, a version that every observer sees gets the smallest sequence that changes no result.
@Suite struct NormalisationTests {
    let id = NamespaceID(rawValue: 1)

    private func judge(
        _ trailer: Trailer, expiry: Int64 = 0, _ erasure: Erasure, snapshots: [ReadPoint] = []
    ) -> Retention.Verdict {
        let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [id: erasure])
        var retention = Retention(horizon, normalises: true)
        retention.beginKey(id)
        return retention.judge(trailer, expiry: expiry) { true }
    }

    @Test func aLiveVersionTakesTheSequenceAboveItsWatermarks() {
        var erasure = Erasure(truncatedThrough: 3, purgedThrough: 7)
        #expect(judge(Trailer(20, .put), erasure) == .keep(Trailer(4, .put)))
        let purgeable = EntryKind.put(purgeable: true, hasExpiry: false)
        #expect(judge(Trailer(20, purgeable), erasure) == .keep(Trailer(8, purgeable)))
        erasure = Erasure()
        #expect(judge(Trailer(20, purgeable), erasure) == .keep(Trailer(1, purgeable)))
    }

    @Test func aVersionThatOnlyASnapshotSeesIsNotLiftedOverTheWatermarkThatErasedIt() {
        let old = ReadPoint(sequence: 5, wallMilliseconds: 50)
        let purgeable = EntryKind.put(purgeable: true, hasExpiry: false)
        #expect(
            judge(Trailer(5, purgeable), Erasure(purgedThrough: 6), snapshots: [old]) == .keep(Trailer(5, purgeable)))
        #expect(judge(Trailer(5, .put), Erasure(truncatedThrough: 6), snapshots: [old]) == .keep(Trailer(5, .put)))
        // The version is not purgeable, so the purge does not apply to it.
        #expect(judge(Trailer(5, .put), Erasure(purgedThrough: 6), snapshots: [old]) == .keep(Trailer(1, .put)))
    }
}
