public import ShaleBase
package import ShalePlatform
import ShaleSegment

extension Maintenance {
    /// Reads and checks every byte of one backup, or of all backups, with their shipped logs.
    ///
    /// - Returns: One error for each damaged or missing file.
    public static func verifyBackups(
        in path: String, number: UInt64? = nil, progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> [StorageError] {
        try verifyBackups(in: path, number: number, fileSystem: PosixFileSystem(), progress: progress)
    }

    package static func verifyBackups(
        in path: String, number: UInt64?, fileSystem: any FileSystem,
        progress: @escaping MaintenanceProgress.Handler = { _ in }
    ) throws(StorageError) -> [StorageError] {
        let directory = try BackupDirectory(at: path, fileSystem, changes: false)
        var problems: [StorageError] = []
        var segments: [String: Segment] = [:]
        var shipped: [BackupRecord] = []
        for backup in number.map({ [$0] }) ?? directory.backups {
            do {
                let record = try directory.record(backup)
                if directory.logs.contains(backup) { shipped.append(record) }
                // Backups share segments: each file is read once.
                for segment in record.segments {
                    let place = record.isOwn(segment) ? "own \(backup)" : "\(record.pool)"
                    segments["\(place)/\(segment.number)"] = segment
                }
            } catch {
                guard error.isLossOfBytes else { throw error }
                problems.append(error)
            }
        }
        var total = segments.values.reduce(UInt64(0)) { $0 + $1.metadata.fileBytes }
        for record in shipped { total += try ShippedLog.size(of: record, in: directory) }
        let bytes = ByteProgress(total, progress)
        for record in shipped {
            do {
                try ShippedLog.verify(record, in: directory)
                try bytes.add(try ShippedLog.size(of: record, in: directory))
            } catch {
                guard error.isLossOfBytes else { throw error }
                problems.append(error)
            }
        }
        for (_, segment) in segments.sorted(by: { $0.key < $1.key }) {
            do {
                try segment.verify()
                try bytes.add(segment.metadata.fileBytes)
            } catch {
                guard error.isLossOfBytes else { throw error }
                problems.append(error)
            }
        }
        return problems
    }
}
