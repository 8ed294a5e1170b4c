import ShalePlatform
import Testing

@Suite struct RandomTests {
    @Test func oneSeedGivesTheNumbersOfSplitmix64() {
        let random = SeededRandom(seed: 1_234_567)
        // The first outputs of the reference implementation for this seed.
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func boundsAndProbabilitiesHold() {
        let random = SeededRandom(seed: 3)
        #expect((0..<1000).allSatisfy { _ in (0..<7).contains(random.below(7)) })
        #expect(Set((0..<1000).map { _ in random.below(7) }).count == 7)
        #expect(random.below(0) == 0)
        #expect((0..<1000).allSatisfy { _ in !random.chance(0) && random.chance(1) })
    }

    @Test func systemNumbersDiffer() {
        let random = SystemRandom()
        #expect(random.next() != random.next())
    }
}
