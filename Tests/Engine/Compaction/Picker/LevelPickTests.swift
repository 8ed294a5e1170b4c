import ShaleBase
import ShaleCompaction
import Testing

/// Jobs that keep the levels within their targets.
@Suite struct LevelPickTests {
    @Test func l0WaitsForItsTriggerAndThenGoesIntoTheBaseLevelWhole() throws {
        let three = "L0 9 a..m 16\nL0 8 c..z 16\nL0 7 a..z 16\n"
        #expect(try TreeScript(three).pick() == "nothing")
        #expect(try TreeScript(three + "L0 6 k..q 16").pick() == "merge L0[9 8 7 6] to L6")
    }

    @Test func onlyWhatOverlapsInTheBaseLevelTakesPart() throws {
        let tree = """
            L0 9 k..m 16
            L0 8 k..m 16
            L0 7 l..n 16
            L0 6 k..q 16
            L6 1 a..j 30
            L6 2 l..p 30
            L6 3 r..z 30
            """
        #expect(try TreeScript(tree).pick() == "merge L0[9 8 7 6] L6[2] to L6")
    }

    @Test func disjointL0SegmentsThatMeetNothingAreMoved() throws {
        let tree = "L0 9 a..b 16\nL0 8 c..d 16\nL0 7 e..f 16\nL0 6 g..h 16\nL6 1 x..z 30"
        #expect(try TreeScript(tree).pick() == "move L0[9 8 7 6] to L6")
        let touching = "L0 9 a..c 16\nL0 8 c..d 16\nL0 7 e..f 16\nL0 6 g..h 16\nL6 1 x..z 30"
        #expect(try TreeScript(touching).pick() == "merge L0[9 8 7 6] to L6")
    }

    @Test func theBaseLevelRisesWithTheTree() throws {
        func base(_ kib: Int) throws -> Int { try TreeScript("L6 1 a..z \(kib)").picker().targets.baseLevel }
        #expect(try [99, 100, 101, 400, 401, 1600, 1608].map { try base($0) } == [6, 6, 5, 5, 4, 4, 3])
        // A level that still holds segments stays the base.
        #expect(try TreeScript("L3 2 a..b 1\nL6 1 a..z 50").picker().targets.baseLevel == 3)
    }

    @Test func theDebtIsL0OnceItIsDueAndTheExcessOfEachLevel() throws {
        func debt(_ text: String) throws -> UInt64 {
            let script = try TreeScript(text)
            return script.picker().targets.debt(of: script.version, script.options) >> 10
        }
        let three = "L0 9 a..m 16\nL0 8 c..z 16\nL0 7 a..z 16"
        #expect(try debt(three) == 0)
        #expect(try debt(three + "\nL0 6 k..q 16") == 64)
        // The target of L5 is a fourth of the 400 of L6.
        #expect(try debt("L5 10 a..d 100\nL6 1 a..z 400") == 0)
        #expect(try debt("L5 10 a..d 130\nL6 1 a..z 400") == 30)
        #expect(try debt(three + "\nL0 6 k..q 16\nL5 10 a..d 130\nL6 1 a..z 400") == 94)
    }

    @Test func theLevelMostOverItsTargetMovesTheSegmentThatRewritesLeast() throws {
        let tree = """
            L5 10 a..d 60
            L5 11 e..h 60
            L5 12 i..l 60
            L6 1 a..b 200
            L6 2 c..e 200
            L6 3 f..k 100
            """
        // The targets are 500 for L6, its present size, and 125 for L5. Segment 10 would rewrite 400, 11 would rewrite
        // 300, 12 would rewrite 100.
        #expect(try TreeScript(tree).pick() == "merge L5[12] L6[3] to L6")
        #expect(try TreeScript(tree).pick(busy: [12]) == "merge L5[11] L6[2 3] to L6")
        #expect(try TreeScript(tree).pick(busy: [3]) == "merge L5[10] L6[1 2] to L6")
        #expect(try TreeScript(tree).pick(busy: [2, 3]) == "nothing")
    }

    @Test func aSegmentAboveAGapIsMoved() throws {
        let tree = "L5 10 a..d 60\nL5 11 e..h 60\nL5 12 i..l 60\nL6 1 a..d 200\nL6 2 e..h 200\nL6 3 m..z 10"
        #expect(try TreeScript(tree).pick() == "move L5[12] to L6")
    }

    @Test func aMoveIsRefusedWhenTheSegmentWouldCoverTooMuchOfTheNextLevel() throws {
        func tree(_ count: Int) -> String {
            var text = "L4 20 a..b 300\nL5 50 x..z 10\n"
            for i in 0..<count {
                let letter = Character(UnicodeScalar(UInt8(ascii: "a") + UInt8(i)))
                text += "L6 \(i + 1) a\(letter)..a\(letter)z 150\n"
            }
            return text
        }
        #expect(try TreeScript(tree(10)).pick() == "move L4[20] to L5")
        #expect(try TreeScript(tree(11)).pick() == "merge L4[20] to L5")
    }

    @Test func runningL0WorkKeepsTheRestOfL0Waiting() throws {
        let tree = "L0 9 a..m 16\nL0 8 c..z 16\nL0 7 a..z 16\nL0 6 k..q 16\nL0 5 a..b 16\nL6 1 a..z 10"
        #expect(try TreeScript(tree).pick(busy: [5]) == "nothing")
        #expect(try TreeScript(tree).pick(busy: [1]) == "nothing")
        #expect(try TreeScript(tree).pick(l0Only: true) == "merge L0[9 8 7 6 5] L6[1] to L6")
    }

    @Test func theReservedLaneTakesNothingButL0() throws {
        let tree = "L5 10 a..d 160\nL6 1 a..z 200"
        #expect(try TreeScript(tree).pick(l0Only: true) == "nothing")
        #expect(try TreeScript(tree).pick() == "merge L5[10] L6[1] to L6")
    }

    @Test func theMoreUrgentOfL0AndTheLevelsGoesFirst() throws {
        let l0 = "L0 9 a..m 1\nL0 8 a..m 1\nL0 7 a..m 1\nL0 6 a..m 1\n"
        // If both are at their trigger, L0 goes first. If L5 is at twice its target, L5 goes first.
        #expect(try TreeScript(l0 + "L5 10 n..z 100\nL6 1 a..z 400").pick() == "merge L0[9 8 7 6] to L5")
        #expect(try TreeScript(l0 + "L5 10 n..z 200\nL6 1 a..z 400").pick() == "merge L5[10] L6[1] to L6")
        #expect(try TreeScript(l0 + "L5 10 n..z 200\nL6 1 a..z 400").pick(busy: [1]) == "merge L0[9 8 7 6] to L5")
    }
}

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

    @Test func segmentsThatDoNotOverlapDoNotCount() throws {
        #expect(try pick(l0: 4, "L6 1 a..b 90\nL6 2 q..z 9") == "merge L0[90 89 88 87] to L6")
        #expect(try pick(l0: 3, "L6 1 a..b 90\nL6 2 q..z 9") == "nothing")
    }

    @Test func itDoesNotWaitForMoreSegmentsThanReadsMayMeet() throws {
        let below = "L5 1 a..z 90\nL6 2 a..z 400"
        #expect(try pick(l0: 7, kib: 10, below) == "nothing")
        #expect(try pick(l0: 8, kib: 10, below) == "merge L0[90 89 88 87 86 85 84 83] L5[1] to L5")
    }
}
