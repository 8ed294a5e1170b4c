import ShaleBase
import ShaleEngine
import ShaleLog
import ShaleManifest
import ShalePlatform

/// Writes the shipped log of a backup. One thread at a time.
final class ShippedLogWriter {
    private let log: LogWriter
    private var buffer = ByteBuffer(capacity: 4096)

    /// Begins the log of a backup that ends at `sequence`. Its header is durable on return, its name is not.
    init(of number: UInt64, after sequence: SequenceNumber, in root: any Directory) throws(StorageError) {
        do throws(IOFailure) {
            log = try LogWriter(
                directory: root, name: BackupLayout.log(number), number: number, kind: .backup,
                previous: LogPredecessor(number: 0, size: 0, lastSequence: sequence), preallocate: 0)
            try log.sync()
        } catch {
            throw error.storageError
        }
    }

    var byteCount: UInt64 { log.endOffset }

    func append(_ record: LoggedRecord) throws(StorageError) {
        buffer.removeAll()
        buffer.append(record.isSingle ? ShippedRecord.Kind.single.rawValue : ShippedRecord.Kind.batch.rawValue)
        buffer.append(record.payload)
        do { try log.append(buffer.bytes) } catch { throw error.storageError }
    }

    /// Ends what was appended with the moment that it leads to, and makes it durable.
    func append(_ moment: ShippedMoment) throws(StorageError) {
        buffer.removeAll()
        moment.encode(into: &buffer)
        do throws(IOFailure) {
            try log.append(buffer.bytes)
            let size = log.endOffset
            if !PlantedBug.isActive(.skipShippedSync) { try log.sync() }
            log.markSynced(through: size)
            // Without it, damage to the moment would look like a torn tail. It need not be durable itself.
            try log.appendMark()
        } catch {
            throw error.storageError
        }
    }

    /// Ends the log. Idempotent.
    func close() throws(StorageError) {
        do { try log.close(truncating: true) } catch { throw error.storageError }
    }
}
