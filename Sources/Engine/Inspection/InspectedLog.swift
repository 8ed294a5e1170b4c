import ShaleBase
import ShaleLog
import ShaleManifest
import ShaleMemtable
import ShalePlatform

/// A record of a write-ahead log, which holds a batch.
public struct LoggedRecord: Sendable {
    public let offset: UInt64
    public let bytes: Int
    /// The operations in the order of the batch.
    public let operations: [StoredVersion]
}

/// The header and the end of a log.
public struct InspectedLog: Sendable {
    public let number: UInt64
    /// True if the log has a header. A log that was prepared and never used has none.
    public internal(set) var hasHeader = false
    public internal(set) var previousNumber: UInt64 = 0
    public internal(set) var records = 0
    public internal(set) var operations = 0
    /// The end of the last whole record.
    public internal(set) var endOffset: UInt64 = 0
    /// The offset up to which the log's records say that it was durable.
    public internal(set) var syncedOffset: UInt64 = 0
    public internal(set) var findings: [Finding] = []
}

extension StoreInspector {
    /// Reads log `number` and passes each record to `body`, up to the first damaged one.
    ///
    /// - Throws: The errors of `body`.
    /// - Complexity: O(log); holds one record in memory.
    public func log(
        _ number: UInt64, _ body: (LoggedRecord) throws -> Void = { _ in }
    ) throws -> InspectedLog {
        let name = Self.logName(number)
        var result = InspectedLog(number: number)
        let reader: LogReader
        let file: any ReadableFile
        do throws(StorageError) {
            file = try open(number)
            reader = try LogReader(file: file, path: name, number: number, kind: .wal, mayLackHeader: true)
        } catch {
            result.findings.append(Finding(error, in: name))
            return result
        }
        defer { file.close() }
        if let header = reader.header {
            result.hasHeader = true
            result.previousNumber = header.previous.number
        }
        var next = Self.record(reader, name)
        while case .success(let record?) = next {
            result.records += 1
            result.operations += record.operations.count
            try body(record)
            next = Self.record(reader, name)
        }
        if case .failure(let error) = next { result.findings.append(Finding(error, in: name)) }
        result.take(reader.end, name)
        return result
    }

    private func open(_ number: UInt64) throws(StorageError) -> any ReadableFile {
        let logs = try logs()
        do { return try logs.open(StoreLayout.log(number)) } catch { throw error.storageError }
    }

    /// Returns the next record, or the error of reading it.
    private static func record(_ reader: LogReader, _ name: String) -> Result<LoggedRecord?, StorageError> {
        Result { () throws(StorageError) -> LoggedRecord? in
            guard let record = try reader.next() else { return nil }
            do throws(ParseFailure) {
                let batch = try LoggedBatch(validating: record.payload, isSingle: record.isSingle)
                return LoggedRecord(
                    offset: record.offset, bytes: record.payload.count, operations: operations(of: batch))
            } catch {
                throw .corruption("a batch does not parse: \(error.reason)", file: name, offset: record.offset)
            }
        }
    }

    private static func operations(of batch: LoggedBatch) -> [StoredVersion] {
        switch batch {
        case .single(let single): [version(single.operation, single.sequence)]
        case .batch(let operations):
            operations.enumerated().map { version($1, operations.baseSequence + UInt64($0)) }
        }
    }

    private static func version(_ operation: BatchOperation, _ sequence: SequenceNumber) -> StoredVersion {
        StoredVersion(
            operation.namespace, operation.userKey.array(), Trailer(sequence, operation.kind),
            expiry: operation.expiry, value: operation.value.array())
    }
}

extension InspectedLog {
    fileprivate mutating func take(_ end: LogEnd?, _ name: String) {
        guard let end else { return }
        endOffset = end.offset
        syncedOffset = end.lastSyncedOffset
        if end.wasTorn {
            findings.append(
                Finding(.tornTail, name, "a record was not finished bytes=\(end.tornBytes)", offset: end.offset))
        }
    }
}
