package import ShaleBase
package import ShalePlatform
package import ShaleSegment

/// Executes a merge or rewrite job, cut into key ranges that are merged in parallel.
///
/// Ranges share only the inputs and the dictionaries. The dictionaries are chosen once for the whole job, so that
/// training runs once and later jobs can copy blocks between the outputs. All outputs are installed together. If one
/// range fails, the others end and all outputs are removed.
package struct RangedCompaction {
    package let job: CompactionJob
    package let horizon: Horizon
    package let options: CompactionOptions
    package let directory: any Directory
    package let allocateNumber: @Sendable () -> UInt64

    package struct Result: Sendable {
        package var outputs: [SegmentMetadata] = []
        package var statistics = CompactionStatistics()
    }

    package init(
        _ job: CompactionJob, horizon: Horizon, options: CompactionOptions, directory: any Directory,
        allocateNumber: @escaping @Sendable () -> UInt64
    ) {
        self.job = job
        self.horizon = horizon
        self.options = options
        self.directory = directory
        self.allocateNumber = allocateNumber
    }

    /// Runs the job and returns its outputs in the order of their keys. The outputs are synced; their names are not.
    ///
    /// - Parameter progress: Receives the bytes read so far, about every MiB, on the caller's thread. It may throw to
    ///   cancel.
    package func run(
        createdMilliseconds: Int64, progress: @escaping (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> Result {
        let ranges = try RangeCutter(job: job).ranges(options.ranges, bytesMin: options.lastSegmentBytes)
        var options = options
        if ranges.count > 1 { options.evenOutputs(ofBytes: job.inputBytes / UInt64(ranges.count), isLast: job.isLast) }
        let choice = try DictionaryPlan(job: job, horizon: horizon, options: options).choice()
        let results = Locked([Result](repeating: Result(), count: ranges.count))
        let readBytes = ByteCounter()
        do {
            try ParallelWork.run(
                ranges.count, threads: options.threads,
                poll: { () throws(StorageError) in try progress(readBytes.current) }
            ) { [self, options] (item, pause) throws(StorageError) in
                var reported: UInt64 = 0
                var run = CompactionRun(
                    job, ranges[item], horizon: horizon, options: options, directory: directory,
                    choice: choice, allocateNumber: allocateNumber,
                    progress: { (bytes) throws(StorageError) in
                        readBytes.add(bytes - reported)
                        reported = bytes
                        try pause()
                    })
                let outputs = try run.run(createdMilliseconds: createdMilliseconds)
                let result = Result(outputs: outputs, statistics: run.statistics)
                results.withLock { $0[item] = result }
            }
        } catch {
            for result in results.withLock({ $0 }) { CompactionRun.discard(result.outputs, in: directory) }
            throw error
        }
        return results.withLock { $0 }.reduce(into: Result()) { (sum, result) in
            sum.outputs += result.outputs
            sum.statistics.add(result.statistics)
        }
    }
}

/// Cuts a job into key ranges of about equal work, at boundaries of its inputs' blocks.
private struct RangeCutter {
    let job: CompactionJob

    /// The number of pieces that each input is divided into. Ranges differ by at most one piece of each input.
    private static let piecesPerSegment = 64

    /// Returns at most `count` ranges in order, each of about `bytesMin` stored bytes or more. Reads the inputs'
    /// indexes, which their compaction needs anyway.
    func ranges(_ count: Int, bytesMin: UInt64) throws(StorageError) -> [KeyBounds] {
        let affordable = Int(clamping: job.inputBytes / max(1, bytesMin))
        let count = min(count, affordable)
        guard count > 1, job.kind == .merge else { return [job.bounds] }
        let pieces = try self.pieces()
        let total = pieces.reduce(UInt64(0)) { $0 + $1.rawBytes }
        var cuts: [[UInt8]] = []
        var passed: UInt64 = 0
        for piece in pieces {
            passed += piece.rawBytes
            guard cuts.count < count - 1, passed >= total / UInt64(count) * UInt64(cuts.count + 1) else { continue }
            // The whole piece stays in this range, with the versions of its last key at the beginning of the next
            // block.
            let cut = piece.separator + [0]
            if job.bounds.canBeCut(at: cut), cuts.last?.lexicographicallyPrecedes(cut) ?? true { cuts.append(cut) }
        }
        return job.bounds.divided(at: cuts)
    }

    /// Returns the pieces with their raw bytes, because work is what has to be decompressed, merged and compressed.
    private func pieces() throws(StorageError) -> [(separator: [UInt8], rawBytes: UInt64)] {
        var pieces: [(separator: [UInt8], rawBytes: UInt64)] = []
        for segment in job.segments where job.bounds.overlaps(segment) {
            pieces += try segment.pieces(RangeCutter.piecesPerSegment).filter { job.bounds.canBeCut(at: $0.separator) }
        }
        return pieces.sorted { $0.separator.lexicographicallyPrecedes($1.separator) }
    }
}
