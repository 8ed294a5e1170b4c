import ShaleBase
import ShaleLog
import ShaleMemtable
import ShalePlatform
import ShaleValues

/// Large values in the commit. Everything here runs under `lock`.
extension Committer {
    /// True if the present log may have references, and its value file takes `values`. A file that is empty takes any
    /// batch.
    func hasRoom(for values: LargeValues?) -> Bool {
        guard let values, let log else { return true }
        guard log.hasValues else { return false }
        guard let separation, let file = valueWriters[log.number] else { return true }
        return file.endOffset == ValueFileFormat.start
            || file.endOffset + values.byteCount <= separation.fileBytesMax
    }

    /// Appends `values` to the log's value file, which it creates if there is none, and completes the batch.
    func write(_ values: LargeValues, into batch: MutableBytes, for log: LogWriter) throws(IOFailure) {
        guard let separation, values.byteCount > 0 else { return }
        if let file = valueWriters[log.number] { return try values.write(to: file, completing: batch) }
        try values.write(to: try beginValues(log, separation), completing: batch)
    }

    /// Records that `log`, and the memtable, refer to a streamed value.
    func note(_ streamed: StreamedValue, in log: LogWriter) {
        streams[log.number, default: [:]][streamed.reference.file] = streamed.reference.end
        memtable.valueFilesForAdding().add(streamed.reference, in: streamed.file)
    }

    private func beginValues(
        _ log: LogWriter, _ separation: ValueSeparation
    ) throws(IOFailure) -> ValueFileWriter {
        let directory = separation.source.directory
        // The remains of an attempt that failed. No record refers to them.
        let name = ValueFileName.make(log.number)
        if try directory.exists(name) { try directory.remove(name) }
        let file = try ValueFileWriter(directory: directory, number: log.number)
        valueWriters[log.number] = file
        // Before the first record that refers to the file: no sync may make such a record durable alone.
        log.precedeSyncs { () throws(IOFailure) in try file.sync() }
        memtable.valueFilesForAdding().setOwn(separation.source.file(log.number))
        return file
    }
}
