import ShalePlatform
import Testing

@testable import Shale

@Suite struct NamespaceNameTests {
    private static func randomName(_ random: SeededRandom) -> NamespaceName {
        let alphabet = ["a", "b", "\u{0}", "\u{1}", "\u{2}", "ab", ""]
        func text() -> String { (0..<random.below(4)).map { _ in alphabet[random.below(alphabet.count)] }.joined() }
        return NamespaceName(
            owner: random.chance(0.5) ? .common : .user(text()), components: (0...random.below(3)).map { _ in text() })
    }

    @Test func theBytesAreTheDocumentedOnes() {
        let name = NamespaceName(owner: .user("id"), components: ["a", "bc"])
        #expect(name.bytes == [2, 2, 0] + Array("id".utf8) + [1, 0] + Array("a".utf8) + [2, 0] + Array("bc".utf8))
        #expect(NamespaceName(owner: .common, components: [""]).bytes == [1, 0, 0])
    }

    @Test func differentPathsGiveDifferentBytesAndParseBack() throws {
        let random = SeededRandom(seed: 11)
        for _ in 0..<20_000 {
            let one = Self.randomName(random)
            let two = Self.randomName(random)
            let isSame = one.owner == two.owner && one.components == two.components
            #expect((one.bytes == two.bytes) == isSame, "seed \(random.seed): \(one) \(two)")
            let parsed = try #require(NamespaceName(bytes: one.bytes))
            #expect(parsed.owner == one.owner && parsed.components == one.components)
            let isBelow = one.owner == two.owner && one.components.starts(with: two.components)
            #expect(one.bytes.starts(with: two.bytes) == isBelow, "seed \(random.seed): \(one) \(two)")
        }
    }

    @Test func foreignNamesAreNotTakenForPaths() {
        for bytes: [UInt8] in [[], [0], [1], [3, 1, 0, 97], [1, 2, 0, 97], [2, 1, 0, 97], [1, 1, 0, 0xff]] {
            #expect(NamespaceName(bytes: bytes) == nil)
        }
    }

    @Test func anyBytesParseToWhatGivesThemBack() {
        let random = SeededRandom(seed: 12)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(12)).map { _ in UInt8(random.below(4)) }
            if let name = NamespaceName(bytes: bytes) { #expect(name.bytes == bytes) }
        }
    }
}
