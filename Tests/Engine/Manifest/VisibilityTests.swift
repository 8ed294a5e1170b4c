import ShaleBase
import ShaleManifest
import Testing

/// The visibility rule at its limits.
@Suite struct VisibilityTests {
    private func isPresent(
        _ kind: EntryKind, sequence: UInt64 = 10, expiry: Int64 = 0, truncated: UInt64 = 0, purged: UInt64 = 0,
        time: Int64 = 100
    ) -> Bool {
        Visibility.isPresent(
            Trailer(sequence, kind), expiry: expiry, truncatedThrough: truncated, purgedThrough: purged,
            wallMilliseconds: time)
    }

    private let purgeable = EntryKind.put(purgeable: true, hasExpiry: false)
    private let expiring = EntryKind.put(purgeable: false, hasExpiry: true)

    @Test func aDeleteIsNeverPresent() { #expect(!isPresent(.delete)) }

    @Test func aTruncationTakesEverythingUpToItsSequence() {
        for kind in [EntryKind.put, purgeable] {
            #expect([9, 10, 11].map { isPresent(kind, truncated: $0) } == [true, false, false])
        }
    }

    @Test func aPurgeTakesOnlyWhatIsPurgeable() {
        #expect([9, 10, 11].map { isPresent(purgeable, purged: $0) } == [true, false, false])
        #expect([9, 10, 11].map { isPresent(.put, purged: $0) } == [true, true, true])
    }

    @Test func anEntryIsGoneFromItsExpiryOn() {
        #expect([99, 100, 101].map { isPresent(expiring, expiry: 100, time: $0) } == [true, false, false])
        #expect(isPresent(.put, expiry: 1, time: 100))
    }

    @Test func nothingIsPresentInADroppedNamespace() {
        let observer = Observer(sequence: 100, wallMilliseconds: 0)
        #expect(!Visibility.isPresent(Trailer(10, .put), expiry: 0, .dropped, at: observer))
    }

    @Test func aSnapshotIsMeasuredWithTheWatermarksOfItsTime() {
        var erasure = Erasure()
        erasure.purges = [20]
        let trailer = Trailer(10, purgeable)
        #expect(Visibility.isPresent(trailer, expiry: 0, erasure, at: Observer(sequence: 19, wallMilliseconds: 0)))
        #expect(!Visibility.isPresent(trailer, expiry: 0, erasure, at: Observer(sequence: 20, wallMilliseconds: 0)))
    }

    @Test func aNormalisedSequenceIsAboveEveryWatermarkOutlivedAndBelowEveryLaterOne() {
        let erasure = Erasure(truncatedThrough: 3, purgedThrough: 8)
        for isPurgeable in [false, true] {
            let sequence = erasure.normalisedSequence(purgeable: isPurgeable)
            let kind = EntryKind.put(purgeable: isPurgeable, hasExpiry: false)
            #expect(isPresent(kind, sequence: sequence, truncated: 3, purged: 8))
            // Every later control operation has a sequence above the entry's original sequence, which was at least 9.
            #expect(!isPresent(kind, sequence: sequence, truncated: 10))
            #expect(!isPurgeable || !isPresent(kind, sequence: sequence, truncated: 3, purged: 10))
        }
    }
}
