import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleValues

/// One verification of several segments on several threads, including the caller's.
///
/// The unit of work is a range of about 4 MiB of one segment, so that all threads are busy to the end whatever the
/// segments' sizes. The result does not depend on the order of the threads: for each segment the problem at the lowest
/// position is reported, and segments are listed in order. Each thread takes the memory of a piece of a file and a
/// block; the segments' indexes and filters add to that.
private final class SegmentVerification: Sendable {
    private struct BlockRange {
        let segment: Int
        let number: Int
        let blocks: Range<Int>
    }

    private struct Problem {
        let range: Int
        let error: StorageError
    }

    private static let rangeBytes: UInt64 = 4 << 20
    private static let threadsMax = 64
    /// The number of bytes between calls of `progress`.
    private static let progressStepBytes: UInt64 = 1 << 20

    /// The errors of a single file that say nothing about the next file: damage, a missing file, or a later format
    /// version. Any other error ends a verification, such as a failure of the machine or a cancellation by the caller.
    fileprivate static let verifiable: Set<StorageError.Code> = [.corruption, .missing, .newerFormat]

    private let segments: [Segment]
    private let readBytes = ByteCounter()
    /// The problems found so far, by segment.
    private let problems = Locked([Int: Problem]())

    init(_ segments: [Segment]) { self.segments = segments }

    /// Returns one problem for each damaged segment. Calls `progress` on this thread only; an error that it throws ends
    /// the verification.
    func run(
        threads: Int, _ progress: @escaping (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> [StorageError] {
        let threads = min(threads, SegmentVerification.threadsMax)
        var reported: UInt64 = 0
        let report = { [readBytes] () throws(StorageError) in
            let bytes = readBytes.current
            guard bytes - reported >= SegmentVerification.progressStepBytes else { return }
            reported = bytes
            try progress(bytes)
        }
        let ranges = try ranges(threads, report)
        try ParallelWork.run(ranges.count, threads: threads, poll: report) {
            [self] (item, pause) throws(StorageError) in
            try verify(ranges[item], pause)
        }
        try progress(readBytes.current)
        return problems.withLock { $0.sorted { $0.key < $1.key }.map(\.value.error) }
    }

    /// Returns the ranges of all segments that can be opened.
    private func ranges(
        _ threads: Int, _ report: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) -> [BlockRange] {
        let blocks = Locked([[Range<Int>]](repeating: [], count: segments.count))
        try ParallelWork.run(segments.count, threads: threads, poll: report) {
            [self] (segment, pause) throws(StorageError) in
            try pause()
            try noting(segment, range: 0) { () throws(StorageError) in
                let found = try segments[segment].blockRanges(ofBytes: SegmentVerification.rangeBytes)
                blocks.withLock { $0[segment] = found }
            }
        }
        return blocks.withLock { $0 }.enumerated().flatMap { segment, parts in
            parts.enumerated().map { BlockRange(segment: segment, number: $0.offset, blocks: $0.element) }
        }
    }

    private func verify(
        _ range: BlockRange, _ pause: @escaping () throws(StorageError) -> Void
    ) throws(StorageError) {
        // A problem at a lower position takes precedence over anything found here.
        let known = problems.withLock { $0[range.segment] }
        if let known, known.range < range.number { return }
        try noting(range.segment, range: range.number) { () throws(StorageError) in
            try segments[range.segment].verify(blocks: range.blocks) { (bytes) throws(StorageError) in
                readBytes.add(bytes)
                try pause()
            }
        }
    }

    private func noting(
        _ segment: Int, range: Int, _ work: () throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try work()
        } catch {
            guard SegmentVerification.verifiable.contains(error.code) else { throw error }
            problems.withLock { problems in
                if let known = problems[segment], known.range < range { return }
                problems[segment] = Problem(range: range, error: error)
            }
        }
    }
}

extension StorageError {
    fileprivate var isAboutOneFile: Bool { SegmentVerification.verifiable.contains(code) }
}

extension EngineCore {
    /// Verifies all segments, and the value files that they use.
    ///
    /// - Parameter threads: nil for the number of processors. Tests pass 1 to get the same calls each time.
    func verify(
        threads: Int?, _ progress: @escaping (UInt64) throws(StorageError) -> Void
    ) throws(StorageError) -> VerificationReport {
        let view = viewCell.retained()
        let segments = view.version.levels.flatMap(\.segments)
        let threads = environment.scheduling == .threads ? threads ?? processorCount() : 1
        var report = VerificationReport()
        report.problems = try SegmentVerification(segments).run(threads: threads, progress)
        for number in view.version.valueUses.keys.sorted() {
            do throws(StorageError) {
                try valueSource.file(number).checkHeader()
            } catch {
                guard error.isAboutOneFile else { throw error }
                report.problems.append(error)
            }
        }
        report.files = segments.count + view.version.valueUses.count
        report.bytes = segments.reduce(0) { $0 + $1.metadata.fileBytes }
        report.entries = segments.reduce(0) { $0 + $1.metadata.entryCount }
        return report
    }
}
