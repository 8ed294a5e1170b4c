package import ShaleBase
package import ShaleLog
package import ShaleMemtable
package import ShaleValues

/// Checks the values to which the batches of a log refer, as the log is replayed.
package struct ValueReplay {
    private let file: ValueFile?
    /// The first batch whose values are not whole: its offset in the log, and the reason. Nothing after it is replayed.
    package private(set) var broken: (offset: UInt64, reason: StorageError)?
    private let source: ValueSource
    private let checksStreams: Bool
    /// The references of the last batch to streamed values, which are in files of their own.
    private(set) var streamed: [ValueReference] = []
    /// True once a batch has referred to the log's own file, which may not exist before.
    private var refersToOwnFile = false

    /// - Parameters:
    ///   - header: That of the log.
    ///   - checksStreams: False if damage to a streamed value is not to fail the replay.
    package init(_ header: LogHeader, _ source: ValueSource, checksStreams: Bool = true) {
        file = header.hasValues ? source.file(header.number) : nil
        self.source = source
        self.checksStreams = checksStreams
    }

    /// Adds the files to which the last batch may refer to those of a memtable.
    func addFiles(to memtable: Memtable) {
        guard let file else { return }
        let files = memtable.valueFilesForAdding()
        if refersToOwnFile { files.setOwn(file) }
        for reference in streamed { files.add(reference, in: source.file(reference.file)) }
    }

    /// Returns true if all values of a batch are whole.
    ///
    /// A streamed value was durable before any log referred to it. So it is not read, and only its place is checked.
    ///
    /// - Throws: `.corruption` if a reference is neither one to the log's own file nor to a streamed value, or if the
    ///   file of a streamed value is missing, which no crash leaves behind.
    package mutating func check(_ batch: LoggedBatch, at offset: UInt64, _ path: String) throws(StorageError) -> Bool {
        guard let file else { return true }
        streamed.removeAll(keepingCapacity: true)
        for operation in batch.referencingOperations {
            let reference: ValueReference
            do throws(ParseFailure) {
                reference = try ValueReference(decoding: operation.value)
                guard reference.file == file.number || reference.offset == ValueFileFormat.firstValue else {
                    throw ParseFailure("it refers to another log's values")
                }
            } catch {
                throw .corruption("a batch does not parse: \(error.reason)", file: path, offset: offset)
            }
            if reference.file != file.number {
                if checksStreams { try source.file(reference.file).verifyStream(reference) }
                streamed.append(reference)
                continue
            }
            refersToOwnFile = true
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
