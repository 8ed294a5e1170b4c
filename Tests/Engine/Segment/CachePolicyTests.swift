import Testing

@testable import ShaleSegment

/// The hints that the cache and the readers remember. A wrong hint costs time but changes no answer, so only these
/// tests notice it.
@Suite struct CachePolicyTests {
    /// A fingerprint of one of two buckets.
    private static func fingerprint(_ number: UInt64, bucket: UInt64) -> UInt64 { number << 32 | bucket }

    @Test func aGhostIsMetOnceAndOthersAreNot() {
        var ghosts = GhostSet(capacity: 8)
        let ghost = Self.fingerprint(1, bucket: 0)
        ghosts.insert(ghost)
        // The last one is what an empty place holds.
        let tried = [Self.fingerprint(2, bucket: 0), Self.fingerprint(1, bucket: 1), ghost, ghost, 0]
        let met = tried.map { ghosts.remove($0) }
        #expect(met == [false, false, true, false, false])
    }

    /// A set of 8 places remembers a block for 8 insertions, wherever those go.
    @Test(arguments: UInt64(1)...12) func aGhostIsForgottenAfterAsManyInsertionsAsThereArePlaces(insertions: UInt64) {
        var ghosts = GhostSet(capacity: 8)
        for number in 0..<insertions { ghosts.insert(Self.fingerprint(number, bucket: number == 0 ? 0 : 1)) }
        let isKnown = ghosts.remove(Self.fingerprint(0, bucket: 0))
        #expect(isKnown == (insertions <= 8))
    }

    /// A bucket has four places: the fifth ghost takes the oldest one's.
    @Test func aFullBucketForgetsItsOldestGhost() {
        var ghosts = GhostSet(capacity: 8)
        for number in UInt64(1)...5 { ghosts.insert(Self.fingerprint(number, bucket: 1)) }
        let known = (UInt64(1)...5).filter { ghosts.remove(Self.fingerprint($0, bucket: 1)) }
        #expect(known == [2, 3, 4, 5])
    }

    @Test func aReaderRemembersWhetherItsLastLookupMetAKey() {
        let notes = ReaderNotes()
        #expect(!notes.expectsKey)
        notes.expect(key: true)
        #expect(notes.expectsKey)
        notes.expect(key: false)
        #expect(!notes.expectsKey)
    }
}
