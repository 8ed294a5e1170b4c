import ShaleBase
import ShaleManifest
import ShaleSegment

extension EngineCore {
    /// What is wrong with one file and says nothing of the next: damage, a file that is gone, or of a later version.
    /// Anything else, the machine's troubles and the caller's wish to stop, ends a verification.
    private static let verifiable: Set<StorageError.Code> = [.corruption, .missing, .newerFormat]

    func verify(_ progress: (UInt64) throws(StorageError) -> Void) throws(StorageError) -> VerificationReport {
        var report = VerificationReport()
        let view = viewCell.retained()
        for segment in view.version.levels.flatMap(\.segments) {
            let before = report.bytes
            do {
                try segment.verify { (bytes) throws(StorageError) in try progress(before + bytes) }
            } catch {
                guard EngineCore.verifiable.contains(error.code) else { throw error }
                report.problems.append(error)
            }
            report.files += 1
            report.bytes += segment.metadata.fileBytes
            report.entries += segment.metadata.entryCount
        }
        return report
    }
}
