import ShaleBase
import ShaleManifest
import Testing

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
}
