import Shale
import ShaleBase
import ShaleEngine
import ShaleManifest
import ShaleMemtable
import ShalePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A moment that can be restored: that of a backup, or one in the shipped log of a backup.
struct BackupMoment {
    let record: BackupRecord
    /// The state of the moment, with the segments of the backup alone.
    private(set) var state: StoreState
    private(set) var wallMilliseconds: Int64
    /// The offset of the moment in the log; `nil` if it is that of the backup.
    private(set) var end: UInt64?

    /// The moment of a backup.
    init(of record: BackupRecord) {
        self.record = record
        state = record.state
        wallMilliseconds = record.wallMilliseconds
    }

    /// Finds the last moment at or before `time`.
    init(at time: Date, in directory: BackupDirectory) throws(StorageError) {
        // A date in whole milliseconds may be a little less as a floating-point number.
        let limit = (time.timeIntervalSince1970 * 1000 + 0.01).rounded(.down)
        let records = try directory.records()
        guard let record = records.last(where: { Double($0.wallMilliseconds) <= limit }) else {
            guard let earliest = records.map(\.wallMilliseconds).min() else {
                throw StorageError(.missing, "the directory holds no backup")
            }
            throw StorageError(
                .missing, "no backup is that old earliest=\(BackupMoment.text(earliest))")
        }
        self.init(of: record)
        guard directory.logs.contains(record.number) else { return }
        var reader = try ShippedLogReader(record, in: directory)
        while let item = try reader.next() {
            guard case .moment(let wall, let offset) = item else { continue }
            guard Double(wall) <= limit else { return }
            (state, wallMilliseconds, end) = (reader.state, wall, offset)
        }
    }

    private static func text(_ milliseconds: Int64) -> String {
        Date(millisecondsSince1970: milliseconds).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Writes the batches between the backup and the moment as segments into `segments`, and returns the whole state.
    func replay(
        in directory: BackupDirectory, to segments: any Directory, _ progress: ByteProgress
    ) throws(StorageError) -> StoreState {
        guard let end else { return state }
        var replay = BatchReplay(after: state, in: segments)
        var reader = try ShippedLogReader(record, in: directory)
        while let item = try reader.next() {
            switch item {
            case .batch(let batch, let byteCount):
                if let namespace = batch.firstNamespace(from: state.catalogue.nextID) {
                    throw .corruption(
                        "a batch names \(namespace), which was never created", file: BackupLayout.log(record.number),
                        offset: end)
                }
                try replay.add(batch, byteCount: byteCount)
                try progress.add(UInt64(byteCount))
            case .moment(_, let offset): if offset >= end { return try replay.finish() }
            }
        }
        throw .corruption(
            "the shipped log ends before the moment", file: BackupLayout.log(record.number), offset: end)
    }
}
