import ShalePlatform

/// Families of user keys that reach the special cases of an adaptive radix tree.
enum KeyShape: String, CaseIterable, Sendable {
    case random, decimal, sequential, sharedLongPrefixes, prefixesOfOthers, dense, fewBytes, huge, zerosAndOnes

    func make(_ count: Int, _ random: SeededRandom) -> [[UInt8]] {
        switch self {
        case .random:
            (0..<count).map { _ in random.bytes(1 + random.below(20)) }
        case .decimal:
            (0..<count).map { _ in KeyShape.decimal(random.below(count * 4)) }
        case .sequential:
            (0..<count).map { KeyShape.decimal($0) }
        case .sharedLongPrefixes:
            KeyShape.branching(count, random, stems: 6, stemLength: 5...40)
        case .prefixesOfOthers:
            (0..<count).map { _ in [UInt8](repeating: 7, count: random.below(300)) + random.bytes(random.below(2)) }
        case .dense:
            (0..<count).map { _ in [UInt8(random.below(3)), UInt8(random.below(256)), UInt8(random.below(256))] }
        case .fewBytes:
            (0..<count).map { _ in random.bytes(random.below(3)) }
        case .huge:
            KeyShape.branching(min(count, 200), random, stems: 3, stemLength: 4000...5000).map {
                Array($0.prefix(16_384))
            }
        case .zerosAndOnes:
            (0..<count).map { _ in (0..<random.below(12)).map { _ in [0, 0, 0xff, 1][random.below(4)] } }
        }
    }

    /// Returns the number in sixteen digits.
    private static func decimal(_ number: Int) -> [UInt8] {
        let digits = Array(String(number).utf8)
        return [UInt8](repeating: 0x30, count: 16 - digits.count) + digits
    }

    /// Returns keys that share a prefix of random length with one of a few stems.
    private static func branching(
        _ count: Int, _ random: SeededRandom, stems stemCount: Int, stemLength: ClosedRange<Int>
    ) -> [[UInt8]] {
        let stems = (0..<stemCount).map { _ in
            (0..<4).flatMap { _ in
                random.bytes(stemLength.lowerBound + random.below(stemLength.count))
            }
        }
        return (0..<count).map { _ in
            let stem = stems[random.below(stemCount)]
            return Array(stem.prefix(random.below(stem.count + 1))) + random.bytes(random.below(4))
        }
    }
}

/// The seed of all tests in this folder. Each test prints it, so that a failure can be repeated.
let testSeed: UInt64 = 0x5ba1_e000_0000_0001
