package import ShaleBase
package import ShalePlatform

/// Reads what another process appends to a log, again and again. One thread at a time.
///
/// A chunk that is half written is invalid, like the zeros behind the last one. Reading ends before it, and continues
/// there the next time. Damage to a log that is still written to therefore looks like its end. It is noticed when the
/// next log begins, because that one names the size of this one.
package final class LogFollower {
    package let path: String
    package let number: UInt64
    /// The end of what was read: of the header, or of a record that the caller has used.
    package private(set) var position: UInt64
    /// The header; `nil` until there is one.
    package private(set) var header: LogHeader?

    private let file: any ReadableFile
    private let kind: LogKind
    private let probe = OwnedBytes(count: LogFollower.probeBytes)

    /// More than the padding at a block's end and the fields of a chunk that are never all zero.
    private static let probeBytes = 64

    /// Takes an open file. `position` is the end of what was read by other means; 0 to begin with the header.
    package init(_ file: any ReadableFile, path: String, number: UInt64, kind: LogKind, position: UInt64 = 0) {
        self.file = file
        self.path = path
        self.number = number
        self.kind = kind
        self.position = position
    }

    deinit { file.close() }

    /// Reads the header if it was not read yet. Returns false while there is none: the file was made ahead.
    package func begin() throws(StorageError) -> Bool {
        guard header == nil else { return true }
        try read(at: 0)
        let bytes = probe.bytes.slice(0, LogFormat.headerSize)
        guard LogHeader.holds(bytes, number: number) || LogHeader.holdsElsewhere(bytes) else { return false }
        header = try LogHeader.decode(bytes, number: number, kind: kind, path: path)
        position = max(position, UInt64(LogFormat.headerSize))
        return true
    }

    /// Passes the new records to `body` until it returns false, which leaves that record for the next call.
    ///
    /// Without new records it reads 64 bytes.
    ///
    /// - Parameter end: The offset at which reading may stop. Records that begin there or later may be left for the
    ///   next call.
    package func readOn(
        to end: UInt64 = .max, _ body: (LogRecord) throws(StorageError) -> Bool
    ) throws(StorageError) {
        guard try begin(), let header, position < end else { return }
        guard try isWritten(at: position) else { return }
        let reader = try LogReader(following: file, path: path, header: header, from: position)
        // A local variable, because each access to a property of an object is checked for conflicts.
        var used = position
        defer { position = used }
        while reader.consumed < end, let record = try reader.next() {
            guard try body(record) else { return }
            used = reader.consumed
        }
        used = max(used, reader.consumed)
    }

    /// Passes the records between two ends that were read before to `body`, without moving ``position``. May run beside
    /// calls of other threads.
    ///
    /// - Parameters:
    ///   - start: Moved behind each record that `body` has used.
    ///   - end: A former ``position``.
    /// - Throws: `.outdated` if the file is shorter now: the owner of the store has cut it. `.corruption` if its bytes
    ///   have changed.
    package func readAgain(
        from start: inout UInt64, to end: UInt64, _ body: (LogRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let header, start < end else { return }
        let reader = try LogReader(following: file, path: path, header: header, from: start)
        while reader.consumed < end, let record = try reader.next(), record.offset < end {
            try body(record)
            start = reader.consumed
        }
        if reader.consumed < end, !PlantedBug.isActive(.trustCutLog) {
            throw try changed(at: reader.consumed, before: end)
        }
        start = end
    }

    private func changed(at offset: UInt64, before end: UInt64) throws(StorageError) -> StorageError {
        let size: UInt64
        do { size = try file.size() } catch { throw error.storageError.inFile(path) }
        guard size < end else {
            return .corruption("a log has changed after it was read", file: path, offset: offset)
        }
        return StorageError(
            .outdated, "the owner of the store has deleted a log of the state that is read", file: path)
    }

    /// Returns an offset that is not before the end of any record that was appended before the call, and less than a
    /// block behind the end of what is appended during the call. Without new records it is ``position``.
    ///
    /// A record is written in the order of its blocks, and a written block begins with a chunk, which is never all
    /// zero. So all written blocks precede the first one that begins with zeros.
    ///
    /// - Complexity: O(log *b*) reads of 64 bytes for *b* new blocks.
    package func findEnd() throws(StorageError) -> UInt64 {
        guard try begin(), try isWritten(at: position) else { return position }
        let blockBytes = UInt64(LogFormat.blockSize)
        var written = position / blockBytes
        var step: UInt64 = 1
        while try isWritten(at: (written + step) * blockBytes) {
            written += step
            step *= 2
        }
        var empty = written + step
        while empty - written > 1 {
            let middle = written + (empty - written) / 2
            if try isWritten(at: middle * blockBytes) { written = middle } else { empty = middle }
        }
        return empty * blockBytes
    }

    /// True if the bytes at `offset` are not all zero.
    private func isWritten(at offset: UInt64) throws(StorageError) -> Bool {
        try read(at: offset)
        return !probe.bytes.isAllZero
    }

    /// Goes back to an earlier ``position``.
    package func rewind(to position: UInt64) { self.position = position }

    /// Reads at `offset` into the probe, with zeros behind the end of the file.
    private func read(at offset: UInt64) throws(StorageError) {
        probe.mutable.zero(0, LogFollower.probeBytes)
        do { _ = try file.read(into: probe.mutable, at: offset) } catch { throw error.storageError.inFile(path) }
    }
}

extension [LogFollower] {
    /// Returns those of consecutive logs, oldest first, that have a header. One without was made ahead.
    package func begun() throws(StorageError) -> [LogFollower] {
        var begun: [LogFollower] = []
        // The newest first: if it has begun, so have the others.
        for log in reversed() where try log.begin() { begun.append(log) }
        return begun.reversed()
    }
}
