import Testing

@testable import Shale

@Suite struct M9ReflectionSizeTests {
    private final class Pair { var next: [Pair] = [] }

    /// Doubles with each level: n + 1 objects expand to 2 × 2ⁿ objects and as many arrays.
    private static func tower(_ levels: Int) -> Pair {
        (0..<levels).reduce(Pair()) { inner, _ in
            let pair = Pair()
            pair.next = [inner, inner]
            return pair
        }
    }

    @Test func sharedObjectsCountWhereverTheyOccur() throws {
        var enough = Reflector(partsMax: 126)
        _ = try enough.tree(of: Self.tower(5))
        var tooFew = Reflector(partsMax: 125)
        #expect(throws: ReflectionError.tooLarge) { try tooFew.tree(of: Self.tower(5)) }
    }
}
