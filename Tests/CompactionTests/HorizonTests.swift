import ShaleBase
import ShaleCompaction
import ShaleManifest
import Testing

@Suite struct HorizonTests {
    /// Nothing need be written between two snapshots, but time passes.
    @Test func observersOfOneSequenceAreOrderedByTime() {
        let early = Observer(sequence: 4, wallMilliseconds: 10)
        let late = Observer(sequence: 4, wallMilliseconds: 90)
        for snapshots in [[early, late], [late, early]] {
            let horizon = Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: [:])
            #expect(horizon.observers.map(\.wallMilliseconds) == [10, 90, 100])
        }
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
