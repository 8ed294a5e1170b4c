import ShaleBase
import ShaleCompaction
import ShaleManifest
import Testing

@Suite struct HorizonTests {
    /// Two snapshots can have the same sequence but different times, if nothing is written between them.
    @Test func observersOfOneSequenceAreOrderedByTime() {
        let early = Observer(sequence: 4, wallMilliseconds: 10)
        let late = Observer(sequence: 4, wallMilliseconds: 90)
        for snapshots in [[early, late], [late, early]] {
            let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [:])
            #expect(horizon.observers.map(\.wallMilliseconds) == [10, 90, 100])
        }
    }

    /// Two threads that begin snapshots at the same time may read sequence and clock in different orders.
    @Test func timeNeverFallsFromOneObserverToTheNext() {
        let late = Observer(sequence: 4, wallMilliseconds: 12)
        let early = Observer(sequence: 5, wallMilliseconds: 10)
        let horizon = Horizon(snapshots: [late, early], wallMilliseconds: 100, erasures: [:])
        #expect(horizon.observers.map(\.sequence) == [4, 5, .max])
        #expect(horizon.observers.map(\.wallMilliseconds) == [10, 10, 100])
    }

    @Test func whatExpiredBetweenTwoSnapshotsOfOneSequenceIsKeptForTheOlder() {
        let id = NamespaceID(rawValue: 1)
        let early = Observer(sequence: 4, wallMilliseconds: 10)
        let late = Observer(sequence: 4, wallMilliseconds: 90)
        for snapshots in [[early, late], [late, early]] {
            let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [id: Erasure()])
            var retention = Retention(horizon, normalises: false)
            retention.beginKey(id)
            let trailer = Trailer(3, .put(purgeable: false, hasExpiry: true))
            #expect(retention.judge(trailer, expiry: 50) { true } == .keep(trailer))
        }
    }
}
