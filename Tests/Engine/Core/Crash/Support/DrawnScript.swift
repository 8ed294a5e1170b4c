import ShalePlatform
import TestSupport

extension CrashScript {
    /// Thirty random steps, different for every seed.
    static let drawn: CrashScript = {
        let random = SeededRandom(seed: Ring.seed &+ 77)
        var steps: [CrashStep] = [.create("a"), .create("b")]
        var alive: Set<String> = ["a", "b"]
        while steps.count < 32 { steps += step(random, &alive) }
        return CrashScript("drawn", steps)
    }()

    /// Returns a random step, preceded by the steps that it needs.
    private static func step(_ random: SeededRandom, _ alive: inout Set<String>) -> [CrashStep] {
        let name = ["a", "b", "c"][random.below(3)]
        guard alive.contains(name) else {
            alive.insert(name)
            return [.create(name)]
        }
        switch random.below(24) {
        case 0..<9:
            return [
                .put(
                    name, random.below(12), bytes: [24, 300, 3000, 40_000][random.below(4)],
                    purgeable: random.chance(0.4), synced: random.chance(0.15))
            ]
        case 9, 10: return [.delete(name, random.below(12), synced: random.chance(0.2))]
        case 11, 12:
            let mutations = (0..<2 + random.below(5)).map { _ in
                random.chance(0.3)
                    ? Mutation(deleting: random.below(12), from: name)
                    : Mutation(name, random.below(12), bytes: random.below(20_000), purgeable: random.chance(0.5))
            }
            return [.write(mutations, synced: random.chance(0.3))]
        case 13: return [.sync]
        case 14, 15: return [.flush]
        case 16: return [.compact]
        case 17: return [.reclaim]
        case 18: return [.purge(alive.sorted())]
        case 19: return [.truncate([name])]
        case 20:
            alive.remove(name)
            return [.drop([name])]
        case 21: return [.setOptions(name, random.bytes(5))]
        case 22: return [.reopen]
        default: return [random.chance(0.5) ? .idle : .work]
        }
    }
}
