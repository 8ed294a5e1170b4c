package import ShaleBase
package import ShaleLog
package import ShaleMemtable
package import ShaleValues

/// Checks the values to which the batches of a log refer, as the log is replayed.
package struct ValueReplay {
    private let file: ValueFile?
    /// The first batch whose values are not whole: its offset in the log, and the reason. Nothing after it is replayed.
    package private(set) var broken: (offset: UInt64, reason: StorageError)?

    /// - Parameter header: That of the log.
    package init(_ header: LogHeader, _ source: ValueSource) {
        file = header.hasValues ? source.file(header.number) : nil
    }

    /// The object that keeps the file for a memtable; `nil` if the log has none.
    var companion: ValueFile? { file }

    /// Returns true if all values of a batch are whole.
    ///
    /// - Throws: `.corruption` if a reference is not one to the log's own file, which no crash leaves behind.
    package mutating func check(_ batch: LoggedBatch, at offset: UInt64, _ path: String) throws(StorageError) -> Bool {
        guard let file else { return true }
        for operation in batch.referencingOperations {
            let reference: ValueReference
            do throws(ParseFailure) {
                reference = try ValueReference(decoding: operation.value)
                guard reference.file == file.number else { throw ParseFailure("it refers to another log's values") }
            } catch {
                throw .corruption("a batch does not parse: \(error.reason)", file: path, offset: offset)
            }
            do throws(StorageError) {
                _ = try file.read(reference)
            } catch {
                guard error.code == .corruption || error.code == .outdated else { throw error }
                broken = (offset, error)
                return false
            }
        }
        return true
    }

    /// Throws if the broken batch was durable once: a synced log had made its values durable first.
    package func finish(_ end: LogEnd) throws(StorageError) {
        if let broken, end.lastSyncedOffset > broken.offset { throw broken.reason }
    }
}
