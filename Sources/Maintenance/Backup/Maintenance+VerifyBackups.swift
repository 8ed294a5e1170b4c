public import ShaleBase
package import ShalePlatform
import ShaleSegment
import ShaleValues

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
        func note(_ error: StorageError) throws(StorageError) {
            guard error.isLossOfBytes else { throw error }
            // Several segments may refer to one damaged value file.
            if !problems.contains(where: { $0.file == error.file && error.file != nil }) { problems.append(error) }
        }
        var segments: [String: Segment] = [:]
        var values: [String: (file: ValueFile, bytes: UInt64)] = [:]
        var shipped: [BackupRecord] = []
        for backup in number.map({ [$0] }) ?? directory.backups {
            do {
                let record = try directory.record(backup)
                if directory.logs.contains(backup) { shipped.append(record) }
                // Backups share files: each segment is read once, with the values to which it refers.
                for segment in record.segments { segments[record.path(of: segment.number)] = segment }
                for use in record.values {
                    let source = ValueSource(
                        directory.environment.values, in: try directory.directory(of: use.file, in: record))
                    values[record.path(of: use.file)] = (source.file(use.file), use.fileBytes)
                }
            } catch {
                try note(error)
            }
        }
        var total = segments.values.reduce(UInt64(0)) { $0 + $1.metadata.fileBytes }
        total += values.values.reduce(0) { $0 + $1.bytes }
        for record in shipped { total += try ShippedLog.size(of: record, in: directory) }
        let bytes = ByteProgress(total, progress)
        for record in shipped {
            do {
                try ShippedLog.verify(record, in: directory)
                try bytes.add(try ShippedLog.size(of: record, in: directory))
            } catch {
                try note(error)
            }
        }
        for (_, value) in values.sorted(by: { $0.key < $1.key }) {
            do {
                try value.file.checkHeader()
                try bytes.add(value.bytes)
            } catch {
                try note(error)
            }
        }
        for (_, segment) in segments.sorted(by: { $0.key < $1.key }) {
            do {
                try segment.verify()
                try bytes.add(segment.metadata.fileBytes)
            } catch {
                try note(error)
            }
        }
        return problems
    }
}

extension BackupRecord {
    /// The directory and number of a segment or value file, which name it among all backups.
    fileprivate func path(of file: UInt64) -> String { isOwn(file) ? "own \(number)/\(file)" : "\(pool)/\(file)" }
}
