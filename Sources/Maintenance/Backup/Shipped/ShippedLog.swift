import Shale
import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The shipped logs of a directory's backups.
enum ShippedLog {
    /// Reads a whole log and checks it.
    static func verify(_ record: BackupRecord, in directory: BackupDirectory) throws(StorageError) {
        var reader = try ShippedLogReader(record, in: directory)
        while try reader.next() != nil {}
    }

    static func size(of record: BackupRecord, in directory: BackupDirectory) throws(StorageError) -> UInt64 {
        do { return try directory.root.sizeOfFile(BackupLayout.log(record.number)) } catch { throw error.storageError }
    }

    /// Returns the backup with the time through which its log leads.
    static func info(of record: BackupRecord, in directory: BackupDirectory) throws(StorageError) -> BackupInfo {
        var info = record.info
        if directory.logs.contains(record.number), let last = try lastMoment(of: record, in: directory) {
            info.restorableThrough = Date(millisecondsSince1970: max(last, record.wallMilliseconds))
        }
        return info
    }

    /// Returns the time of the last moment, or `nil` if there is none.
    ///
    /// Each block begins with a chunk, but maybe inside a record. So reading begins ever further from the end, until
    /// it begins with a record and a moment follows.
    private static func lastMoment(
        of record: BackupRecord, in directory: BackupDirectory
    ) throws(StorageError) -> Int64? {
        let blockBytes = UInt64(LogFormat.blockSize)
        let blocks = try size(of: record, in: directory) / blockBytes
        var back: UInt64 = 0
        while true {
            let start = back < blocks ? (blocks - back) * blockBytes : 0
            if let last = try lastMoment(of: record, in: directory, from: start) { return last }
            if start == 0 { return nil }
            back = 2 * back + 1
        }
    }

    private static func lastMoment(
        of record: BackupRecord, in directory: BackupDirectory, from start: UInt64
    ) throws(StorageError) -> Int64? {
        let name = BackupLayout.log(record.number)
        let file: any ReadableFile
        do { file = try directory.root.open(name) } catch { throw error.storageError.inFile(name) }
        let log = LogFollower(file, path: name, number: record.number, kind: .backup, position: start)
        var last: Int64?
        try log.readOn { (entry) throws(StorageError) in
            if case .moment(let moment) = try ShippedRecord(entry, name) { last = moment.wallMilliseconds }
            return true
        }
        return last
    }
}
