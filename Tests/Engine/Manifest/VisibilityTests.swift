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
        let observer = ReadPoint(sequence: 100, wallMilliseconds: 0)
        #expect(!Visibility.isPresent(Trailer(10, .put), expiry: 0, .dropped, at: observer))
    }

    @Test func aSnapshotIsMeasuredWithTheWatermarksOfItsTime() {
        var erasure = Erasure()
        erasure.purges = [20]
        let trailer = Trailer(10, purgeable)
        #expect(Visibility.isPresent(trailer, expiry: 0, erasure, at: ReadPoint(sequence: 19, wallMilliseconds: 0)))
        #expect(!Visibility.isPresent(trailer, expiry: 0, erasure, at: ReadPoint(sequence: 20, wallMilliseconds: 0)))
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

@Suite struct ErasureTests {
    @Test func anObserverSeesTheNewestWatermarkThatIsNotNewerThanItself() {
        var erasure = Erasure()
        erasure.purges = [4, 9]
        erasure.truncations = [6]
        #expect([3, 4, 8, 9, 100].map { erasure.purgedThrough(at: $0) } == [0, 4, 4, 9, 9])
        #expect([5, 6, 7].map { erasure.truncatedThrough(at: $0) } == [0, 6, 6])
    }

    @Test func watermarksAreForgottenOnlyWhenNobodyCanTellThemFromLaterOnes() {
        for oldest in UInt64(0)..<12 {
            var erasure = Erasure()
            erasure.purges = [2, 4, 9]
            erasure.truncations = [3, 8]
            let full = erasure
            erasure.forget(before: oldest)
            for observer in oldest..<14 {
                #expect(erasure.purgedThrough(at: observer) == full.purgedThrough(at: observer))
                #expect(erasure.truncatedThrough(at: observer) == full.truncatedThrough(at: observer))
            }
        }
    }

    // MARK: The table

    private static let id = NamespaceID(rawValue: 3)

    private static func table(truncatedThrough: SequenceNumber = 0, purgedThrough: SequenceNumber = 0) -> ErasureTable {
        let table = ErasureTable()
        table.create(
            NamespaceRecord(
                id: id, name: [1], options: [], truncatedThrough: truncatedThrough, purgedThrough: purgedThrough))
        return table
    }

    /// Purging daily for years leaves one watermark, not one for each day.
    @Test func withoutObserversOnlyTheNewestWatermarksAreKept() {
        let table = Self.table()
        for sequence in SequenceNumber(1)...100 {
            table.truncate(Self.id, through: 2 * sequence, oldest: nil)
            table.purge(Self.id, through: 2 * sequence + 1, oldest: nil)
        }
        let erasure = table.erasure(of: Self.id)
        #expect(erasure.truncations == [200] && erasure.purges == [201])
        table.truncate(Self.id, through: 300, oldest: 250)
        table.purge(Self.id, through: 301, oldest: 250)
        let seen = table.erasure(of: Self.id)
        #expect(seen.truncations == [200, 300] && seen.purges == [201, 301])
    }

    @Test func eachErasureForgetsTheWatermarkBeforeIt() {
        let table = Self.table()
        for sequence in SequenceNumber(1)...3 { table.truncate(Self.id, through: sequence, oldest: nil) }
        #expect(table.erasure(of: Self.id).truncations == [3])
        for sequence in SequenceNumber(4)...6 { table.purge(Self.id, through: sequence, oldest: nil) }
        #expect(table.erasure(of: Self.id).purges == [6])
    }

    @Test func watermarksOfTheCatalogueHoldForReadersOfThePresent() {
        let table = Self.table(truncatedThrough: 5, purgedThrough: 8)
        let (truncated, purged) = table.watermarks(of: Self.id, at: .max)
        #expect(truncated == 5 && purged == 8)
        #expect(table.isLive(Self.id))
    }

    /// An identifier in damaged or hostile bytes may be any number. A read behind the table would trap in builds for
    /// tests.
    @Test(arguments: [FormatLimits.namespaceIDs - 1, FormatLimits.namespaceIDs, .max])
    func noNamespaceLiesBeyondTheLastIdentifier(_ number: UInt32) {
        let table = Self.table()
        #expect(!table.isLive(NamespaceID(rawValue: number)))
        #expect(table.erasure(of: NamespaceID(rawValue: number)) == .dropped)
        table.create(
            NamespaceRecord(
                id: NamespaceID(rawValue: number), name: [1], options: [], truncatedThrough: 0, purgedThrough: 0))
        #expect(table.isLive(NamespaceID(rawValue: number)) == (number < FormatLimits.namespaceIDs))
    }

    /// A moment at the drop's own sequence does not see the namespace any more.
    @Test func aDroppedNamespaceIsKeptForObserversBeforeItsDropOnly() {
        let table = Self.table()
        table.drop(Self.id, keptSince: 5)
        #expect(!table.isLive(Self.id) && table.snapshot()[Self.id] != nil)
        table.forgetDropped(through: 4)
        #expect(table.snapshot()[Self.id] != nil)
        table.forgetDropped(through: 5)
        #expect(table.snapshot()[Self.id] == nil)
    }
}
