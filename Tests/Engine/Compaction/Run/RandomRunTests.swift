import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment
import TestSupport
import Testing

/// A run that copies, skips and decodes gives the same entries as a merge that decodes everything, in any number of
/// ranges.
///
/// Only copied entries may keep sequences that the merge normalises.
@Suite struct RandomRunTests {
    typealias Row = SegmentShelf.Row

    private func rows(_ random: SeededRandom, _ sequences: Range<UInt64>, _ style: Int) -> [Row] {
        var rows: [Row] = []
        var sequence = sequences.lowerBound
        for namespace in UInt32(1)...3 where random.below(4) > 0 {
            var key = random.below(50)
            for _ in 0..<random.below(400) {
                key += 1 + random.below(random.below(20) == 0 ? 60 : 3)
                for version in 0..<(random.below(style == 0 ? 10 : 300) == 0 ? 3 : 1)
                where sequence < sequences.upperBound {
                    _ = version
                    let kind: EntryKind =
                        switch random.below(style == 0 ? 4 : 300) {
                        case 0: .delete
                        case 1: .put(purgeable: true, hasExpiry: false)
                        case 2: .put(purgeable: random.below(2) == 0, hasExpiry: true)
                        default: style == 2 ? .put(purgeable: true, hasExpiry: false) : .put
                        }
                    rows.append(
                        Row(
                            "k\(100_000 + key)", sequence, kind, expiry: kind.hasExpiry ? Int64(random.below(200)) : 0,
                            value: kind.isDelete ? [] : random.bytes(random.below(60)), in: namespace))
                    sequence += 1
                }
            }
        }
        return rows.sorted {
            $0.key != $1.key ? $0.key.lexicographicallyPrecedes($1.key) : $0.sequence > $1.sequence
        }
    }

    private func horizon(_ random: SeededRandom) -> Horizon {
        var erasures: [NamespaceID: Erasure] = [:]
        for id in UInt32(1)...3 where random.below(8) > 0 {
            var erasure = Erasure()
            if random.below(2) == 0 {
                erasure.purges = [UInt64(random.below(4000)), UInt64(4000 + random.below(3000))]
            }
            if random.below(4) == 0 { erasure.truncations = [UInt64(random.below(3000))] }
            erasures[NamespaceID(rawValue: id)] = erasure
        }
        let snapshots = (0..<random.below(4)).map { _ in
            let sequence = UInt64(random.below(7000))
            return ReadPoint(sequence: sequence, wallMilliseconds: Int64(sequence / 100))
        }
        return Horizon(snapshots: snapshots, wallMilliseconds: 100, erasures: erasures)
    }

    @Test func everyRunGivesWhatADecodingMergeGives() throws {
        let seed = Ring.seed
        let random = SeededRandom(seed: seed)
        var total = CompactionStatistics()
        var outputs: [Int: Int] = [:]
        for round in 0..<Ring.choose(commit: 150, nightly: 5000, release: 5000) {
            let shelf = try SegmentShelf()
            shelf.options.lastCodec = random.below(2) == 0 ? .lz4 : .zstd(level: 1)
            shelf.options.upperSegmentBytes = 16 << 10
            shelf.options.lastSegmentBytes = (4 << 10) << random.below(3)
            shelf.options.ranges = 1 + random.below(5)
            shelf.options.threads = 1 + random.below(3)
            let style = random.below(3)
            let inputs = [rows(random, 2000..<3000, style), rows(random, 1..<2000, style)].filter { !$0.isEmpty }
            let older = rows(random, 1..<2, style)
            guard !inputs.isEmpty else { continue }
            let segments = try inputs.map { try shelf.make($0, codec: random.below(4) == 0 ? .none : .lz4) }
            let olderSegments =
                random.below(2) == 0 && !older.isEmpty ? OlderSegments(loose: [try shelf.make(older)]) : .init()
            let isRewrite = segments.count == 1 || random.below(4) == 0
            let output = random.below(2) == 0 ? 5 : 6
            let job = CompactionJob(
                isRewrite ? .rewrite : .merge,
                [CompactionJob.Input(level: 0, segments: isRewrite ? [segments[0]] : segments)], outputLevel: output,
                isLast: output == 6, older: olderSegments)
            let horizon = horizon(random)
            let result = try shelf.run(job, horizon)
            let expected = SegmentShelf.merged(isRewrite ? [inputs[0]] : inputs, job, horizon)
            try compare(result.rows, expected, Set(inputs.flatMap { $0 }.map(\.description)), job.older) {
                "round \(round) of seed \(seed): \($0)"
            }
            total.copiedBlocks += result.statistics.copiedBlocks
            total.skippedBlocks += result.statistics.skippedBlocks
            if !isRewrite { outputs[shelf.options.ranges, default: 0] += result.outputs.count }
        }
        #expect(outputs.count == 5, "\(outputs)")
        #expect(total.copiedBlocks > 500 && total.skippedBlocks > 100, "\(total)")
    }

    /// Compares the entries of a run with those of a full merge. Copied entries keep their sequences. The run judges
    /// blocks as a whole, so tombstones that hide nothing may stay or be gone. Such a tombstone hides neither the job's
    /// other versions nor older ones.
    private func compare(
        _ found: [Row], _ expected: [Row], _ originals: Set<String>, _ older: OlderSegments,
        _ text: (String) -> String
    ) throws {
        var (i, j) = (0, 0)
        while i < found.count || j < expected.count {
            if i < found.count, j < expected.count {
                var same = found[i]
                same.sequence = expected[j].sequence
                if same == expected[j], found[i] == expected[j] || originals.contains(found[i].description) {
                    i += 1
                    j += 1
                    continue
                }
            }
            if i < found.count, found[i].kind.isDelete, originals.contains(found[i].description) {
                i += 1
            } else if j < expected.count, hidesNothing(j, expected, older) {
                j += 1
            } else {
                let (a, b) = (
                    i < found.count ? "\(found[i])" : "nothing", j < expected.count ? "\(expected[j])" : "nothing"
                )
                throw RunFailure(description: text("\(a) instead of \(b)"))
            }
        }
    }

    private func hidesNothing(_ index: Int, _ rows: [Row], _ older: OlderSegments) -> Bool {
        let row = rows[index]
        let hasOlderVersion = index + 1 < rows.count && rows[index + 1].key == row.key
        return row.kind.isDelete && !hasOlderVersion && !row.key.withBytes { older.mayHold($0) }
    }
}

struct RunFailure: Error, CustomStringConvertible {
    let description: String
}
