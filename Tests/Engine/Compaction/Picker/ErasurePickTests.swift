import ShaleBase
import ShaleCompaction
import ShaleManifest
import Testing

/// Jobs that reclaim space.
@Suite struct ErasurePickTests {
    private let id = NamespaceID(rawValue: 1)

    private func tree(
        _ text: String, snapshots: [ReadPoint] = [], time: Int64 = 100, purged: UInt64 = 0, truncated: UInt64 = 0
    ) throws -> TreeScript {
        try TreeScript(
            text, snapshots: snapshots, time: time,
            erasures: [id: Erasure(truncatedThrough: truncated, purgedThrough: purged)])
    }

    @Test func aDroppedNamespacesSegmentsGoUnread() throws {
        let text = "L0 9 a..m 16 ns=2\nL5 5 a..z 16 ns=2\nL6 1 a..z 100\nL6 2 a..z 100 ns=2\nL6 3 a..z 100 ns=3"
        #expect(try TreeScript(text).pick() == "drop L0[9] L5[5] L6[2 3]")
        #expect(try TreeScript(text).pick(l0Only: true, busy: [5, 2]) == "drop L0[9] L6[3]")
    }

    @Test func aTruncatedSegmentGoesWhateverLiesBelow() throws {
        let text = "L5 5 a..m 16 seq=1-8\nL6 1 a..z 200 seq=1-20"
        #expect(try tree(text, truncated: 8).pick() == "drop L5[5]")
        #expect(try tree(text, truncated: 7).pick() == "nothing")
        let old = ReadPoint(sequence: 7, wallMilliseconds: 0)
        #expect(try tree(text, snapshots: [old], truncated: 8).pick() == "nothing")
    }

    @Test func aPurgedSegmentGoesWhenNothingOlderLiesBelow() throws {
        let purgeable = "purgeable=100@8 seq=1-8"
        #expect(try tree("L5 5 a..m 16 \(purgeable)\nL6 1 n..z 200", purged: 8).pick() == "drop L5[5]")
        #expect(try tree("L5 5 a..m 16 \(purgeable)\nL6 1 n..z 200", purged: 7).pick() == "nothing")
        // The purged segment hides older versions below it.
        let covered = "L5 5 a..m 16 \(purgeable)\nL6 1 k..z 200"
        #expect(try tree(covered, purged: 8).pick() == "rewrite L5[5]")
        // In L0, older flushes count as below; newer ones do not.
        #expect(try tree("L0 9 a..m 16\nL0 5 a..m 16 \(purgeable)", purged: 8).pick() == "drop L0[5]")
        #expect(try tree("L0 5 a..m 16 \(purgeable)\nL0 4 b..c 16", purged: 8).pick() == "rewrite L0[5]")
    }

    @Test func aSnapshotFromBeforeThePurgeKeepsTheSegment() throws {
        let text = "L6 5 a..m 16 purgeable=100@8 seq=1-8"
        #expect(try tree(text, purged: 9).pick() == "drop L6[5]")
        #expect(try tree(text, snapshots: [ReadPoint(sequence: 8, wallMilliseconds: 0)], purged: 9).pick() == "nothing")
        #expect(
            try tree(text, snapshots: [ReadPoint(sequence: 9, wallMilliseconds: 0)], purged: 9).pick() == "drop L6[5]")
    }

    @Test func anExpiredSegmentIsDroppedWhenItHasExpiredForAllReadPoints() throws {
        let text = "L6 5 a..m 16 expiring=100@50"
        #expect(try tree(text, time: 49).pick() == "nothing")
        #expect(try tree(text, time: 50).pick() == "drop L6[5]")
        let early = ReadPoint(sequence: 900, wallMilliseconds: 49)
        #expect(try tree(text, snapshots: [early], time: 90).pick() == "nothing")
    }

    @Test func deletesAreDeadWhereTheyHideNothing() throws {
        #expect(try tree("L5 5 a..m 16 deletes=60 expiring=40@50").pick() == "drop L5[5]")
        #expect(try tree("L5 5 a..m 16 deletes=60 expiring=39@50").pick() != "drop L5[5]")
        #expect(try tree("L6 5 a..m 16 deletes=100").pick() == "drop L6[5]")
    }

    @Test func enoughDeadBytesAreWorthARewriteTheMostFirst() throws {
        let text = "L6 1 a..m 100 purgeable=31@8\nL6 2 n..z 100 purgeable=40@8"
        #expect(try tree(text, purged: 8).pick() == "rewrite L6[2]")
        #expect(try tree(text, purged: 8).pick(busy: [2]) == "rewrite L6[1]")
        #expect(try tree("L6 1 a..m 100 purgeable=29@8", purged: 8).pick() == "nothing")
        #expect(try tree("L6 1 a..m 30 purgeable=32@8", purged: 8).pick() == "nothing")
        #expect(try tree("L6 1 a..m 30 purgeable=34@8", purged: 8).pick() == "rewrite L6[1]")
    }

    @Test func tombstonesArePushedDownWhenTheyAreMany() throws {
        #expect(try tree("L5 5 a..m 10 deletes=50\nL6 1 a..z 200").pick() == "merge L5[5] L6[1] to L6")
        #expect(try tree("L5 5 a..m 10 deletes=49\nL6 1 a..z 200").pick() == "nothing")
    }

    /// A tombstone in the last level can't be reclaimed by a later merge, so a job must not move tombstones there
    /// unread.
    @Test func tombstonesAreNotMovedIntoTheLastLevel() throws {
        let text = "L5 5 a..m 160 deletes=10\nL6 1 n..z 200"
        #expect(try tree(text).pick() == "merge L5[5] to L6")
        #expect(try tree("L5 5 a..m 160\nL6 1 n..z 200").pick() == "move L5[5] to L6")
    }

    @Test func segmentsBelowTheOutputCountAsOlderOverTheWholeLevel() throws {
        // A merge into L5 includes segment 5, whose keys reach beyond those of L0. The job must not treat the
        // tombstones of segment 5 as the oldest versions while L6 holds their keys.
        let text = "L0 9 m..n 1\nL0 8 m..n 1\nL0 7 m..n 1\nL0 6 m..n 1\nL5 5 c..x 20\nL6 1 c..d 400"
        let picker = try tree(text).picker()
        guard let job = picker.pick() else {
            Issue.record("nothing was picked")
            return
        }
        #expect(TreeScript.describe(job) == "merge L0[9 8 7 6] L5[5] to L5")
        let key = EncodedKey.start(of: id) + Array("c".utf8)
        #expect(key.withBytes { job.older.mayHold($0) })
    }
}
