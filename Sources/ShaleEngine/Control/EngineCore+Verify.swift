import ShaleBase
import ShaleManifest
import ShaleSegment

extension EngineCore {
    func verify(_ progress: (UInt64) throws(StorageError) -> Void) throws(StorageError) -> VerificationReport {
        var report = VerificationReport()
        let view = viewCell.retained()
        for segment in view.version.levels.flatMap(\.segments) {
            let before = report.bytes
            do {
                try segment.verify { (bytes) throws(StorageError) in try progress(before + bytes) }
            } catch {
                guard error.code == .corruption else { throw error }
                report.problems.append(error)
            }
            report.files += 1
            report.bytes += segment.metadata.fileBytes
            report.entries += segment.metadata.entryCount
        }
        return report
    }
}
