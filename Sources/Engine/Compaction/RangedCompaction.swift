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
        let dictionaries = try DictionaryPlan(job: job, horizon: horizon, options: options).dictionaries()
        let results = Guarded([Result](repeating: Result(), count: ranges.count))
        let readBytes = ByteCounter()
        do {
            try ParallelWork.run(
                ranges.count, threads: options.threads,
                poll: { () throws(StorageError) in try progress(readBytes.current) }
            ) { [self, options] (item, pause) throws(StorageError) in
                var told: UInt64 = 0
                var run = CompactionRun(
                    job, ranges[item], horizon: horizon, options: options, directory: directory,
                    dictionaries: dictionaries, allocateNumber: allocateNumber,
                    progress: { (bytes) throws(StorageError) in
                        readBytes.add(bytes - told)
                        told = bytes
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
