import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

extension EngineCore {
    /// Verifies all segments.
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
        report.files = segments.count
        report.bytes = segments.reduce(0) { $0 + $1.metadata.fileBytes }
        report.entries = segments.reduce(0) { $0 + $1.metadata.entryCount }
        return report
    }
}
