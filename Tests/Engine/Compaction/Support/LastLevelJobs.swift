import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment
import _ShaleHotPaths

/// Jobs on documents of one namespace into the last level, whose outputs get what is trained of their values.
protocol LastLevelJobs {}

extension LastLevelJobs {
    typealias Row = SegmentShelf.Row

    var id: NamespaceID { NamespaceID(rawValue: 1) }
    var horizon: Horizon { Horizon(snapshots: [], wallMilliseconds: 100, erasures: [id: Erasure()]) }

    /// Makes a shelf on which little data is enough for training.
    func makeShelf() throws -> SegmentShelf {
        let shelf = try SegmentShelf()
        shelf.options.blockBytes = 4 << 10
        shelf.options.dictionaryDataBytesMin = 64 << 10
        return shelf
    }

    func rows(_ range: Range<Int>, _ sequence: UInt64, _ kind: SampleDocuments.Kind = .profiles) -> [Row] {
        var documents = SampleDocuments(kind, seed: sequence)
        return range.map { Row("key\(100_000 + $0)", sequence + UInt64($0), value: documents.next()) }
    }

    /// Merges inputs, given by their levels. Returns the rows and the segments of the outputs, and the number of blocks
    /// that were copied.
    func merge(_ shelf: SegmentShelf, _ inputs: [(Int, [Segment])]) throws -> ([Row], [Segment], UInt64) {
        let job = CompactionJob(
            .merge, inputs.map { CompactionJob.Input(level: $0.0, segments: $0.1) }, outputLevel: 6, isLast: true)
        let result = try shelf.run(job, horizon)
        for segment in result.outputs { try segment.verify() }
        return (result.rows, result.outputs, result.statistics.copiedBlocks)
    }
}
