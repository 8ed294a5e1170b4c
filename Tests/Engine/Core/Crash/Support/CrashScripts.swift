import ShalePlatform
import TestSupport

/// The scripts that are crashed and failed at every call: one for each way of changing the disk. Memtables have 64 KiB,
/// so that few writes rotate them. The manifest's rotation has its own test.
extension CrashScript {
    static let all: [CrashScript] = [
        openNew, puts, batchesAcrossBlocks, rotation, flush, compaction, move, drop, truncate, purge, checkpoint,
        closing, handOver,
        durabilityLadder, drawn,
    ]

    static let openNew = CrashScript("open new", [.create("a"), .create("b"), .reopen, .create("c")])

    static let puts = CrashScript(
        "puts",
        [.create("a")] + (0..<8).map { .put("a", $0) }
            + [.delete("a", 3), .put("a", 4, synced: true), .put("a", 5), .delete("a", 6), .sync, .put("a", 7), .idle]
            + (8..<12).map { .put("a", $0) })

    static let batchesAcrossBlocks = CrashScript(
        "batches across blocks",
        [.create("a"), .create("b")]
            + [100, 9000, 40_000, 13_000, 32_500, 70_000, 20].enumerated().map { i, bytes in
                .write(
                    [
                        Mutation("a", i, bytes: bytes / 2), Mutation("b", i, bytes: bytes / 2),
                        Mutation(deleting: i - 1, from: "a"), Mutation("b", 99, bytes: 8),
                    ], synced: i % 3 == 2)
            })

    static let rotation = CrashScript(
        "rotation",
        [.create("a")] + (0..<40).flatMap { i -> [CrashStep] in [.put("a", i % 17, bytes: 5000)] }
            + [.delete("a", 1), .delete("a", 2), .setOptions("a", [7]), .put("a", 3), .sync]
            + (0..<14).map { .put("a", $0, bytes: 5000) })

    static let flush = CrashScript(
        "flush",
        [.create("a"), .flush, .put("a", 1), .flush, .put("a", 2, synced: true), .put("a", 1), .flush, .flush]
            + (0..<9).map { .put("a", $0, bytes: 2500) } + [.delete("a", 4), .flush, .put("a", 4), .idle, .flush])

    static let compaction = CrashScript(
        "compaction",
        [.create("a"), .create("b")]
            + (0..<6).flatMap { round -> [CrashStep] in
                (0..<8).map { .put($0 % 3 == 0 ? "b" : "a", ($0 * 7 + round * 3) % 20, bytes: 700) }
                    + [.delete("a", round * 3), .flush]
            } + [.put("a", 1), .compact, .put("b", 2), .compact])

    /// The levels below are empty: segments move to another level without being read.
    static let move = CrashScript(
        "move",
        [.create("a"), .put("a", 1, bytes: 900), .flush, .compact]
            + (0..<4).flatMap { round -> [CrashStep] in
                (0..<12).map { .put("a", 100 * (round + 2) + $0, bytes: 900) } + [.flush]
            } + [.compact, .put("a", 5), .delete("a", 100), .flush, .compact])

    static let purge = CrashScript(
        "purge",
        [.create("a"), .create("b")]
            + (0..<10).map { .put($0 % 2 == 0 ? "a" : "b", $0, bytes: 400, purgeable: $0 % 3 != 0) }
            + [.flush, .put("a", 1), .put("a", 2, purgeable: true), .put("b", 3), .purge(["a"]), .put("a", 4)]
            + [
                .put("b", 1, purgeable: true), .purge(["b", "a"]), .put("b", 5), .reclaim,
                .put("a", 6, purgeable: true),
            ]
            + [.setOptions("a", [1, 2, 3]), .put("a", 7), .purge(["a"]), .reopen, .put("a", 8)])

    static let truncate = CrashScript(
        "truncate",
        [.create("a"), .create("b"), .create("c")] + (0..<12).map { .put(["a", "b", "c"][$0 % 3], $0, bytes: 500) }
            + [.flush, .put("a", 1), .put("b", 1), .truncate(["a"]), .put("a", 3), .put("c", 20)]
            + [.flush, .put("c", 21), .truncate(["c", "b"]), .put("c", 6), .truncate(["a", "b", "c"])]
            + [.put("b", 7), .reclaim, .put("a", 9), .compact])

    static let drop = CrashScript(
        "drop",
        [.create("a"), .create("b"), .create("c")] + (0..<12).map { .put(["a", "b", "c"][$0 % 3], $0, bytes: 500) }
            + [.flush, .put("a", 1), .put("b", 1), .drop(["b"]), .put("a", 4), .create("b"), .put("b", 5), .flush]
            + [.drop(["a", "c"]), .put("b", 7), .reclaim, .create("a"), .put("a", 9), .drop(["b"]), .compact])

    static let durabilityLadder = CrashScript(
        "durability ladder",
        [.create("a"), .create("b")]
            + (0..<48).flatMap { i -> [CrashStep] in
                let put = CrashStep.put(
                    i % 2 == 0 ? "a" : "b", i * 5 % 23, bytes: i % 5 == 0 ? 9000 : 3000, synced: i % 11 == 7)
                switch i % 13 {
                case 4: return [put, .idle]
                case 9: return [put, .sync]
                case 12: return [put, .work]
                default: return [put]
                }
            })

    static let closing = CrashScript(
        "closing",
        [.create("a"), .put("a", 1), .reopen, .reopen, .put("a", 2, bytes: 3000), .put("a", 3, synced: true), .idle]
            + [.reopen, .put("a", 1, bytes: 60_000), .put("a", 2), .idle, .reopen, .delete("a", 1), .reopen])

    static let handOver = CrashScript(
        "hand-over",
        [.create("a"), .put("a", 1), .suspend, .put("a", 2, bytes: 3000), .suspend, .suspend]
            + [.put("a", 1, bytes: 60_000), .put("a", 3, synced: true), .idle, .suspend, .delete("a", 1), .flush]
            + [.put("a", 4), .suspend, .put("a", 5)])

    static let checkpoint = CrashScript(
        "checkpoint",
        [.create("a")] + (0..<5).map { .put("a", $0, bytes: 300) } + [.checkpoint("/copy"), .put("a", 1)]
            + [.put("a", 9), .delete("a", 2), .checkpoint("/other"), .put("a", 3)])
}

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

extension CrashScript {
    /// The same script, with values that are large enough for value files.
    var withLargeValues: CrashScript {
        CrashScript(
            name,
            steps.map { step in
                guard case .write(let mutations, let synced) = step else { return step }
                return .write(mutations.map(\.withLargeValue), synced: synced)
            })
    }
}

extension CrashScript {
    /// The same script, with single puts written in pieces: two of three in files of their own.
    var withStreams: CrashScript {
        var number = 0
        var script = CrashScript(
            name,
            steps.map { step in
                guard case .write(let mutations, let synced) = step, mutations.count == 1 else { return step }
                number += 1
                return number % 3 == 0 ? step : .write([mutations[0].withStreamedValue], synced: synced)
            })
        script.streamsValues = true
        return script
    }
}

extension Mutation {
    fileprivate var withStreamedValue: Mutation {
        guard let valueBytes else { return self }
        return Mutation(copying: self, bytes: max(valueBytes, 1024 + valueBytes % 7))
    }

    fileprivate var withLargeValue: Mutation {
        guard let valueBytes else { return self }
        return Mutation(copying: self, bytes: max(valueBytes, 64 + valueBytes % 7))
    }
}
