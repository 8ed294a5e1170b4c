import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleSimulation
import Testing
import _ShaleHotPaths

/// The form of a namespace's blocks, if they are split only where that costs little.
@Suite struct AutomaticSplittingTests: LastLevelJobs {
    private func shelf(_ codec: BlockCodec = .zstd(level: 1)) throws -> SegmentShelf {
        let shelf = try makeShelf()
        shelf.options.splitsBlocks = true
        shelf.options.splitsAll = false
        shelf.options.lastCodec = codec
        return shelf
    }

    /// Returns rows with values of a hundred bytes: letters that come twice.
    private func halves(_ count: Int, _ sequence: UInt64 = 1) -> [Row] {
        let random = SeededRandom(seed: sequence)
        return (0..<count).map { index in
            let half = (0..<50).map { _ in UInt8(32 + random.below(95)) }
            return Row("key\(100_000 + index)", sequence + UInt64(index), value: half + half)
        }
    }

    private func isSplit(_ segment: Segment) throws -> Set<Bool> {
        Set(try (0..<segment.blockCount()).map { try segment.indexRow($0).isSplit })
    }

    @Test func valuesThatArePlainAtLittleCostAreSplit() throws {
        let all = halves(2000)
        let shelf = try shelf()
        let (read, outputs, _) = try merge(shelf, [(0, [shelf.make(all)])])
        #expect(read.map(\.value) == all.map(\.value))
        for segment in outputs {
            #expect(segment.metadata.features == [.splitBlocks, .valueCodes, .plainCodes])
            #expect(try segment.sliceCode(of: id)?.code.isPlain == true)
            #expect(try isSplit(segment) == [true])
        }
    }

    /// They would take much more space in pieces.
    @Test func documentsStayWholeUnderADictionary() throws {
        let all = rows(0..<4000, 1)
        let shelf = try shelf()
        let (read, outputs, _) = try merge(shelf, [(0, [shelf.make(all)])])
        #expect(read.map(\.value) == all.map(\.value))
        for segment in outputs {
            #expect(segment.metadata.features == .dictionaries)
            #expect(try isSplit(segment) == [false])
        }
    }

    @Test func valuesThatNothingCompressesAreSplit() throws {
        let random = SeededRandom(seed: 1)
        let all = (0..<2000).map { Row("key\(100_000 + $0)", 1 + UInt64($0), value: random.bytes(100)) }
        let shelf = try shelf()
        let (read, outputs, _) = try merge(shelf, [(0, [shelf.make(all)])])
        #expect(read.map(\.value) == all.map(\.value))
        #expect(try outputs.allSatisfy { try isSplit($0) == [true] && $0.metadata.features == .splitBlocks })
    }

    @Test func littleDataStaysWhole() throws {
        let shelf = try shelf()
        shelf.options.dictionaryDataBytesMin = 4 << 20
        let (_, outputs, _) = try merge(shelf, [(0, [shelf.make(halves(500))])])
        #expect(try outputs.allSatisfy { try isSplit($0) == [false] })
    }

    /// From level 3 on space counts more than time.
    @Test func highLevelsChooseTheSmallestForm() throws {
        let shelf = try shelf(.zstd(level: 3))
        let (_, outputs, _) = try merge(shelf, [(0, [shelf.make(halves(2000))])])
        #expect(try outputs.allSatisfy { try $0.sliceCode(of: id)?.code.isPlain == false })
    }

    @Test(arguments: [true, false]) func laterJobsCopyTheBlocks(_ isDocuments: Bool) throws {
        let shelf = try shelf()
        let old = isDocuments ? rows(0..<4000, 1) : halves(4000)
        let first = try merge(shelf, [(0, [shelf.make(old)])])
        let fresh = isDocuments ? rows(900..<950, 10_000) : Array(halves(950, 10_000).suffix(50))
        let second = try merge(shelf, [(0, [shelf.make(fresh)]), (6, first.1)])
        let blocks = UInt64(first.1.reduce(0) { $0 + $1.metadata.blockCount })
        #expect(second.2 > blocks * 8 / 10)
        #expect(second.0.count == 4000)
        let job = CompactionJob(
            .rewrite, [CompactionJob.Input(level: 6, segments: [second.1[0]])], outputLevel: 6, isLast: true)
        let result = try shelf.run(job, horizon)
        #expect(result.statistics.copiedBlocks == UInt64(second.1[0].metadata.blockCount))
    }

    /// A rewrite that was asked for another compression decides anew.
    @Test func recompressionChangesTheForm() throws {
        let shelf = try shelf()
        let first = try merge(shelf, [(0, [shelf.make(halves(2000))])])
        shelf.options.lastCodec = .zstd(level: 3)
        shelf.options.copiesOnlySameLevel = true
        let job = CompactionJob(
            .rewrite, [CompactionJob.Input(level: 6, segments: [first.1[0]])], outputLevel: 6, isLast: true)
        let result = try shelf.run(job, horizon)
        #expect(try result.outputs.allSatisfy { try $0.sliceCode(of: id)?.code.isPlain == false })
        #expect(result.rows.map(\.value) == first.0.prefix(result.rows.count).map(\.value))
    }
}
