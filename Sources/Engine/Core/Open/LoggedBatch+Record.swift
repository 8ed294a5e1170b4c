import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable

extension LoggedBatch {
    /// Reads the batch in a record of the log at `path`.
    @inline(__always)
    init(_ record: LogRecord, _ path: String) throws(StorageError) {
        do throws(ParseFailure) {
            self = try LoggedBatch(validating: record.payload, isSingle: record.isSingle)
        } catch {
            throw .corruption("a batch does not parse: \(error.reason)", file: path, offset: record.offset)
        }
    }

    /// Reads the batch in a record of the log at `path`. Throws if the batch may not follow the sequence `last`.
    @inline(__always)
    init(_ record: LogRecord, after last: SequenceNumber, _ path: String) throws(StorageError) {
        self = try LoggedBatch(record, path)
        guard baseSequence > last, lastSequence <= Trailer.sequenceMax else {
            throw .corruption("a batch repeats sequences", file: path, offset: record.offset)
        }
    }
}

extension StorageError {
    static func missingLog(_ number: UInt64) -> StorageError {
        StorageError(
            .missingLog, "a log that the store needs is missing",
            file: StoreLayout.logPath(number))
    }

    /// The error of a batch in `record` of the log at `path` that names a namespace without a creation.
    static func unknownNamespace(_ namespace: NamespaceID, _ record: LogRecord, _ path: String) -> StorageError {
        .corruption("a batch names \(namespace), which was never created", file: path, offset: record.offset)
    }
}
