import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing

/// Jobs in ranges of keys: the cases that `RandomRunTests` does not reach.
@Suite struct RangedRunTests {
    typealias Row = SegmentShelf.Row

    private let horizon = Horizon(
        snapshots: (1...130).map { ReadPoint(sequence: $0, wallMilliseconds: 1) }, wallMilliseconds: 1,
        erasures: [NamespaceID(rawValue: 1): Erasure()])

    private func rows(_ range: Range<Int>, _ sequence: UInt64) -> [Row] {
        range.map { Row("key\(10_000 + $0)", sequence, value: [UInt8](repeating: UInt8($0 & 127), count: 100)) }
    }

    private func job(_ inputs: [(Int, [Segment])]) -> CompactionJob {
        CompactionJob(
            .merge, inputs.map { CompactionJob.Input(level: $0.0, segments: $0.1) }, outputLevel: 6, isLast: true)
    }

    /// One key makes up most of the job, and each of its versions fills a block.
    @Test func versionsOfAKeyStayInOneRange() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastSegmentBytes = 1 << 10
        shelf.options.lastCodec = .lz4
        let big = [UInt8](repeating: 1, count: 600 << 10)
        let newer = (0..<9).map { Row("k", 109 - UInt64($0), value: big) } + [Row("z", 120)]
        let older = [Row("a", 3)] + (0..<3).map { Row("k", 9 - UInt64($0), value: [2]) } + [Row("m", 4)]
        let job = try job([(5, [shelf.make(newer)]), (6, [shelf.make(older)])])
        let expected = SegmentShelf.merged([newer, older], job, horizon)
        for ranges in 2...4 {
            shelf.options.ranges = ranges
            let result = try shelf.run(job, horizon)
            #expect(result.rows.map(\.key) == expected.map(\.key))
            let holders = result.outputs.filter { $0.metadata.entryCount > 1 || $0.metadata.smallestKey.last == 0x6b }
            #expect(holders.count <= 2)
            for (a, b) in zip(result.outputs, result.outputs.dropFirst()) { #expect(a.largestKey < b.smallestKey) }
        }
    }

    /// No key lies between a key and the same key with a zero behind it, and many between it and longer ones. Each
    /// block holds one key here, so that ranges begin at all kinds of keys.
    @Test(arguments: 1...UInt64(8)) func keysThatEndWithZerosStayInTheirRanges(seed: UInt64) throws {
        let shelf = try SegmentShelf()
        shelf.options.blockBytes = 512
        shelf.options.lastSegmentBytes = 2 << 10
        shelf.options.lastCodec = .none
        let random = SeededRandom(seed: seed)
        let keys = Set((0..<80).map { _ in (0...random.below(6)).map { _ in UInt8(random.below(2)) } })
        var inputs: [[Row]] = [[], []]
        for key in keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let row = Row(String(decoding: key, as: UTF8.self), 5, value: random.bytes(600))
            inputs[random.below(2)].append(row)
        }
        let job = try job([(5, [shelf.make(inputs[0], codec: .none)]), (6, [shelf.make(inputs[1], codec: .none)])])
        let expected = SegmentShelf.merged(inputs, job, horizon)
        for ranges in 2...8 {
            shelf.options.ranges = ranges
            #expect(try shelf.run(job, horizon).rows.map(\.key) == expected.map(\.key), "seed \(seed)")
        }
    }

    @Test func rangesAreOfAboutTheSameSizeAndCopyTheirBlocks() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastCodec = .lz4
        shelf.options.lastSegmentBytes = 8 << 10
        let below = try shelf.make(rows(0..<4000, 1))
        let above = try shelf.make(rows(1000..<1010, 50))
        let job = job([(5, [above]), (6, [below])])
        shelf.options.lastSegmentBytes = job.inputBytes / 4
        shelf.options.ranges = 4
        shelf.options.threads = 2
        let result = try shelf.run(job, Horizon(snapshots: [], wallMilliseconds: 1, erasures: horizon.erasures))
        #expect(result.rows.count == 4000)
        #expect((4...5).contains(result.outputs.count))
        // The job decodes the blocks at the edges of ranges, and those that overlap with the upper segment.
        #expect(Int(result.statistics.copiedBlocks) > below.metadata.blockCount - 12)
    }

    @Test func aFailureInOneRangeEndsTheOthersAndLeavesNothing() throws {
        let shelf = try SegmentShelf()
        shelf.options.lastSegmentBytes = 16 << 10
        shelf.options.lastCodec = .none
        shelf.options.ranges = 4
        let job = try job([(5, [shelf.make(rows(0..<3000, 1))]), (6, [shelf.make(rows(0..<3000, 2))])])
        for threads in 1...3 {
            shelf.options.threads = threads
            let before = shelf.fileSystem.paths()
            shelf.fileSystem.inject(FaultRule(on: [.write], when: .match(6), .error(5)))
            #expect(throws: StorageError.self) { try shelf.run(job, horizon) }
            shelf.fileSystem.removeFaultRules()
            #expect(shelf.fileSystem.paths() == before)
        }
    }
}

/// The versions of one key may fill several blocks. The merge still orders them with the versions from other inputs.
@Suite struct ManyVersionsTests {
    typealias Row = SegmentShelf.Row

    @Test func versionsThatGoOnInTheNextBlockStayBeforeOlderOnesElsewhere() throws {
        let shelf = try SegmentShelf()
        // The versions exceed the 1 MiB that the versions of a key may share in a block. A snapshot exists at every
        // sequence.
        let big = [UInt8](repeating: 1, count: 300 << 10)
        let newer = (0..<9).map { Row("k", 109 - UInt64($0), value: big) } + [Row("z", 120)]
        let older = [Row("a", 3)] + (0..<3).map { Row("k", 9 - UInt64($0), value: [2]) } + [Row("m", 4)]
        let (first, second) = (try shelf.make(newer), try shelf.make(older))
        #expect(first.metadata.blockCount >= 3)
        let horizon = Horizon(
            snapshots: (1...130).map { ReadPoint(sequence: $0, wallMilliseconds: 1) }, wallMilliseconds: 1,
            erasures: [NamespaceID(rawValue: 1): Erasure()])
        let job = CompactionJob(
            .merge, [CompactionJob.Input(level: 0, segments: [first, second])], outputLevel: 5, isLast: false)
        let result = try shelf.run(job, horizon)
        #expect(result.rows == SegmentShelf.merged([newer, older], job, horizon))
        #expect(
            result.rows.filter { $0.key.last == UInt8(ascii: "k") }.map(\.sequence)
                == (101...109).reversed() + [9, 8, 7])
    }
}
