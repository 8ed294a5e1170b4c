import ShaleBase
import ShaleCompaction
import ShaleManifest
import Testing

/// At the last level, a version that every observer sees gets the smallest sequence that changes no result.
@Suite struct NormalisationTests {
    let id = NamespaceID(rawValue: 1)

    private func judge(
        _ trailer: Trailer, expiry: Int64 = 0, _ erasure: Erasure, snapshots: [Observer] = []
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
        let old = Observer(sequence: 5, wallMilliseconds: 50)
        let purgeable = EntryKind.put(purgeable: true, hasExpiry: false)
        #expect(
            judge(Trailer(5, purgeable), Erasure(purgedThrough: 6), snapshots: [old]) == .keep(Trailer(5, purgeable)))
        #expect(judge(Trailer(5, .put), Erasure(truncatedThrough: 6), snapshots: [old]) == .keep(Trailer(5, .put)))
        // The version is not purgeable, so the purge does not apply to it.
        #expect(judge(Trailer(5, .put), Erasure(purgedThrough: 6), snapshots: [old]) == .keep(Trailer(1, .put)))
    }
}
