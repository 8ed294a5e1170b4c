import ShaleBase
import ShaleCompaction
import Testing

/// L0 waits beyond its trigger while its compaction would rewrite more bytes than it brings.
@Suite struct L0PatienceTests {
    private func pick(l0 count: Int, kib: Int = 20, _ rest: String, l0Only: Bool = false) throws -> String {
        let l0 = (0..<count).map { "L0 \(90 - $0) c..p \(kib)\n" }.joined()
        var script = try TreeScript(l0 + rest)
        script.options.l0TriggerMax = 8
        return script.pick(l0Only: l0Only)
    }

    @Test func l0IsDueWhenItIsAsLargeAsWhatItMeets() throws {
        #expect(try pick(l0: 4, "L6 1 a..z 80") == "merge L0[90 89 88 87] L6[1] to L6")
        #expect(try pick(l0: 4, "L6 1 a..z 81") == "nothing")
        #expect(try pick(l0: 4, "L6 1 a..z 81", l0Only: true) == "nothing")
        #expect(try pick(l0: 5, "L6 1 a..z 81") == "merge L0[90 89 88 87 86] L6[1] to L6")
    }

    @Test func whatItDoesNotMeetDoesNotCount() throws {
        #expect(try pick(l0: 4, "L6 1 a..b 90\nL6 2 q..z 9") == "merge L0[90 89 88 87] to L6")
        #expect(try pick(l0: 3, "L6 1 a..b 90\nL6 2 q..z 9") == "nothing")
    }

    @Test func itDoesNotWaitForMoreSegmentsThanReadsMayMeet() throws {
        let below = "L5 1 a..z 90\nL6 2 a..z 400"
        #expect(try pick(l0: 7, kib: 10, below) == "nothing")
        #expect(try pick(l0: 8, kib: 10, below) == "merge L0[90 89 88 87 86 85 84 83] L5[1] to L5")
    }
}
