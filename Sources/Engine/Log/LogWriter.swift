package import ShaleBase
package import ShalePlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Appends records to one log.
///
/// When `append` returns, the record survives the death of the process. It was stored into a mapping of the file if
/// there is one (see ``LogMapping``), and otherwise written with `pwrite`. ``sync()`` makes it durable.
///
/// Threads: one thread at a time uses the writer (callers hold their commit lock), with these exceptions. Any thread
/// may call ``sync()`` and read ``failure`` while another appends. One thread at a time may call
/// ``reserveAhead(upTo:all:under:)`` and ``trimSpace(ifOver:under:)`` while another appends.
///
/// Failure: after the first failed write or sync, the content of the file's tail is unknown. So the writer never
/// touches the file again, and every later call throws that first failure.
@safe
package final class LogWriter: @unchecked Sendable {
    /// The size from which a framed record is written in pieces of about this size.
    package static let pieceBytes = 1 << 20

    package let number: UInt64
    /// True if records may refer to value files: see ``LogHeader``.
    package let hasValues: Bool
    /// The end of the last record, without padding: the log's logical size. It advances only by whole records.
    package var endOffset: UInt64 { end }

    /// The durable offset that the next chunks record: see ``markSynced(through:)``.
    package var syncedOffset: UInt64 { synced }

    // All mutable state is private: the compiler proves its accesses exclusive, and the commit path runs no checks.
    private var end: UInt64
    private var synced: UInt64 = 0
    private let file: any WritableFile
    private let frameOwner: OwnedBytes
    /// The memory for single-chunk records, in `frameOwner`: padding, and one chunk of at most a block.
    private let frame: MutableBytes
    private var mapping: LogMapping
    private var reservation = LogReservation()
    /// The buffer in which longer records are framed for writing. The first of them allocates it.
    private var pieces = ByteBuffer()
    private let space: LogSpace
    private let syncs = LogSync()
    private let failures = FirstFailure()
    /// The lock that must still be held when data becomes durable. Set before the log is used.
    package var owner: (any FileLock)?
    private var isClosed = false

    /// Begins a log in a file of ``prepareFile(in:name:preallocate:)`` by writing its header.
    ///
    /// - Parameters:
    ///   - isMapped: Appends through a mapping if the file system can. `hasValues`: see ``LogHeader``.
    ///   - onShortage: Called on the appending thread when little space is left ahead.
    package init(
        file: any WritableFile, number: UInt64, kind: LogKind, previous: LogPredecessor, preallocated: UInt64,
        isMapped: Bool, hasValues: Bool = false, onShortage: (@Sendable () -> Void)? = nil
    ) throws(IOFailure) {
        self.number = number
        self.hasValues = hasValues
        self.file = file
        frameOwner = OwnedBytes(count: LogFormat.chunkHeaderSize + LogFormat.blockSize)
        frame = frameOwner.mutable
        space = LogSpace(file, reserved: preallocated, grows: preallocated > 0, onShortage: onShortage)
        mapping = isMapped ? LogMapping(reserved: space.reserved) : .none
        end = UInt64(LogFormat.headerSize)
        let header = LogHeader(kind: kind, number: number, previous: previous, hasValues: hasValues)
        try LogWriter.writeHeader(header, to: file, in: frame)
    }

    /// Continues a log that was read to its end, `end`. The file is durable, and its `reserved` bytes are allocated.
    ///
    /// - Parameter isTorn: False if the bytes after `end` are zero. Otherwise the next append removes them first.
    package init(
        continuing file: any WritableFile, number: UInt64, at end: UInt64, reserved: UInt64, isTorn: Bool = false
    ) {
        self.number = number
        hasValues = false
        self.file = file
        frameOwner = OwnedBytes(count: LogFormat.chunkHeaderSize + LogFormat.blockSize)
        frame = frameOwner.mutable
        space = LogSpace(file, reserved: reserved, grows: true, isTorn: isTorn)
        mapping = .none
        self.end = end
        synced = end
    }

    package var name: String { file.name }

    /// The failure that made this log unusable. An append that found no space has written nothing, and leaves it nil.
    package var failure: IOFailure? { failures.current }

    // MARK: - Appending

    /// Appends one record completely, or not at all as far as ``endOffset`` is concerned. A record of several chunks is
    /// framed in the mapping by either method, if there is one, which saves copying it.
    package func append(_ record: Bytes, _ method: AppendMethod = .mapped) throws(IOFailure) {
        if let payload = reserve(record.count, isSingle: false, method) {
            payload.copy(record, at: 0)
            try commit()
        } else {
            try appendInChunks(record)
        }
    }

    /// Returns the memory for the next record, of exactly `byteCount` bytes, so that it need not be copied. Fill all of
    /// it, then call ``commit()``.
    ///
    /// - Returns: nil if the record does not fit one chunk at the current end; call ``append(_:_:)`` then. The memory
    ///   is valid until the next call of this writer.
    @inline(__always)
    package func reserve(_ byteCount: Int) -> MutableBytes? { reserve(byteCount, isSingle: false, .mapped) }

    /// Returns the memory for a record of one operation, with a shorter header; the reader reports the type
    /// (``LogRecord/isSingle``).
    ///
    /// - Returns: nil also if the header can't express the distance to the synced offset.
    @inline(__always)
    package func reserveSingle(_ byteCount: Int, _ method: AppendMethod = .mapped) -> MutableBytes? {
        guard end &- synced <= LogFormat.singleDistanceMax else { return nil }
        return reserve(byteCount, isSingle: true, method)
    }

    @inline(__always)
    private func reserve(_ byteCount: Int, isSingle: Bool, _ method: AppendMethod) -> MutableBytes? {
        let room = LogFormat.blockSize &- LogFormat.blockIndex(end)
        let padding = room < LogFormat.chunkHeaderSize ? room : 0
        let headerBytes = isSingle ? LogFormat.singleHeaderSize : LogFormat.chunkHeaderSize
        let chunkBytes = headerBytes &+ byteCount
        guard chunkBytes <= (padding > 0 ? LogFormat.blockSize : room) else { return nil }
        // The window follows the log's end by both methods, because mapping it prepares the blocks.
        let memory = mapped(end &+ UInt64(truncatingIfNeeded: padding), chunkBytes)
        let chunk = method == .mapped ? memory : nil
        reservation = LogReservation(
            padding: padding, chunkCount: chunkBytes, isSingle: isSingle, mapped: chunk, isOpen: true)
        return (chunk ?? frame.slice(padding, chunkBytes)).slice(headerBytes, byteCount)
    }

    /// Appends the record that was built in the memory of the last ``reserve(_:)`` or ``reserveSingle(_:_:)``. Call it
    /// once per reservation.
    package func commit() throws(IOFailure) { try commitChunk(.full) }

    /// Appends an empty chunk that records how far the log is durable. It protects the last record before a pause.
    package func appendMark() throws(IOFailure) {
        // Never nil: a header fits after its padding.
        guard reserve(0, isSingle: false, .written) != nil else { return }
        try commitChunk(.mark)
    }

    @inline(__always)
    private func commitChunk(_ type: LogFormat.ChunkType) throws(IOFailure) {
        assert(reservation.isOpen)
        reservation.isOpen = false
        if failures.exists { throw failures.failure(of: name) }
        let padding = reservation.padding
        let count = reservation.chunkCount
        let offset = end &+ UInt64(truncatingIfNeeded: padding)
        let newEnd = offset &+ UInt64(truncatingIfNeeded: count)
        if let chunk = reservation.mapped {
            // The skipped bytes before the chunk are still zero. Unless the log has failed, nothing was ever stored
            // after its end without becoming a record.
            seal(chunk, type, at: offset)
            do { try confirm(offset, count) } catch { throw failures.record(error) }
        } else {
            if space.isTorn { try cutTornEnd() }
            if space.mustGrow(through: newEnd) { try growSpace(through: newEnd) }
            if padding > 0 { frame.zero(0, padding) }
            seal(frame.slice(padding, count), type, at: offset)
            do { try file.write(frame.bytes.slice(0, padding &+ count), at: end) } catch { throw refuse(error) }
        }
        end = newEnd
    }

    /// Returns the error of a failed write. Without reserved space, only a write detects a full disk. The written part
    /// is then removed, now or before the next record: see ``LogSpace/cutTornEnd(_:)``.
    @inline(never)
    private func refuse(_ error: IOFailure) -> IOFailure {
        guard error.isOutOfSpace, !space.grows, mapping.windowEnd == 0 else { return failures.record(error) }
        do { try space.cutTornEnd(end) } catch { return error.isOutOfSpace ? error : failures.record(error) }
        return error
    }

    @inline(never)
    private func cutTornEnd() throws(IOFailure) {
        do { try space.cutTornEnd(end) } catch { throw error.isOutOfSpace ? error : failures.record(error) }
        try sync()
    }

    @inline(__always)
    private func seal(_ chunk: MutableBytes, _ type: LogFormat.ChunkType, at offset: UInt64) {
        if reservation.isSingle {
            LogChunk.sealSingle(chunk, syncedOffset: synced, number: number, offset: offset)
        } else {
            LogChunk.seal(chunk, type, syncedOffset: synced, number: number, offset: offset)
        }
    }

    @inline(never)
    private func appendInChunks(_ record: Bytes) throws(IOFailure) {
        if failures.exists { throw failures.failure(of: name) }
        guard record.count <= LogFormat.recordMax else { throw IOFailure("append", name, EMSGSIZE) }
        let newEnd = LogFormat.endOffset(ofRecord: record.count, appendedAt: end)
        if space.isTorn { try cutTornEnd() }
        if space.mustGrow(through: newEnd) { try growSpace(through: newEnd) }
        var framer = LogFramer(record, number: number, offset: end, syncedOffset: synced)
        repeat {
            if let chunk = mapped(framer.nextOffset, framer.nextCount) {
                // The skipped bytes before the chunk are still zero, as in `commitChunk`.
                framer.frameChunk(into: chunk)
                do { try confirm(framer.offset - UInt64(chunk.count), chunk.count) } catch {
                    throw failures.record(error)
                }
            } else {
                try writePiece(&framer)
            }
        } while !framer.isAtEnd
        assert(framer.offset == newEnd)
        end = newEnd
    }

    private func writePiece(_ framer: inout LogFramer) throws(IOFailure) {
        let offset = framer.offset
        pieces.removeAll()
        framer.frame(into: &pieces, atLeast: LogWriter.pieceBytes)
        do { try file.write(pieces.bytes, at: offset) } catch { throw refuse(error) }
    }

    /// Returns the file's own memory for bytes inside one block; nil if they have to be written.
    ///
    /// Calls out of this class work on a copy of the mapping. If a call were made during an access to the property,
    /// every access would be checked for exclusivity, at every record.
    @inline(__always)
    private func mapped(_ offset: UInt64, _ count: Int) -> MutableBytes? {
        if let bytes = mapping.mapped(offset, count) { return bytes }
        return mapping.canMove ? moveMapping(to: offset, count) : nil
    }

    @inline(never)
    private func moveMapping(to offset: UInt64, _ count: Int) -> MutableBytes? {
        var moved = mapping
        mapping = .none
        let bytes = moved.memory(offset, count, of: file, reserved: space.reserved)
        mapping = moved
        space.noteUse(max(end, mapping.windowEnd))
        return bytes
    }

    /// Throws if data stored into mapped memory may not be in the file.
    @inline(__always)
    private func confirm(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        if !mapping.isConfirmed { try confirmSlowly(offset, count) }
    }

    @inline(never)
    private func confirmSlowly(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        let mapping = mapping
        try mapping.confirm(offset, count)
    }

    /// Reserves space for a log that will reach `newEnd`. If there is none, the log stays unchanged and usable.
    @inline(never)
    private func growSpace(through newEnd: UInt64) throws(IOFailure) {
        do { try space.grow(through: newEnd) } catch { throw error.isOutOfSpace ? error : failures.record(error) }
    }

    // MARK: - Space ahead

    /// The used parts of the file; nil after closing.
    private var extent: LogSpace.Extent? {
        isClosed ? nil : LogSpace.Extent(end: end, windowEnd: mapping.windowEnd)
    }

    /// Reserves space before an append needs it: `size` bytes in all, or a step towards `size` if little is left.
    ///
    /// The caller does not hold `commitLock`, which is taken only to check the log. An append that needs more than is
    /// reserved waits meanwhile, as for a cut. So no append is written above the size that a running reservation found.
    /// (The kernel makes it wait for the file anyway.)
    package func reserveAhead(upTo size: UInt64, all: Bool, under commitLock: Lock) throws(IOFailure) {
        try space.reserveAhead(upTo: size, all: all, under: commitLock) { extent }
    }

    /// Truncates the space after the next two steps of the mapping if it is more than `slack` bytes, in a log that is
    /// not written to.
    ///
    /// It takes milliseconds. The caller does not hold `commitLock`, which is taken only to check the log. The
    /// truncated space is never stored to:
    ///
    /// 1. Mapped windows end before it.
    /// 2. A thread that needs more space reserves it again, and waits until the cut is done. In the opposite order, the
    ///    cut would remove space that was just reserved and written.
    ///
    /// A failed cut leaves a file that is longer than necessary.
    package func trimSpace(ifOver slack: UInt64, under commitLock: Lock) throws(IOFailure) {
        try space.trim(ifOver: slack, under: commitLock) { extent }
    }

    /// Reserves `step` bytes after the end if fewer than `bytes` are left there. Returns false if there is no space;
    /// then nothing has changed. For a log that one thread at a time uses.
    package func keepAhead(_ bytes: UInt64, step: UInt64) throws(IOFailure) -> Bool {
        guard !isClosed else { return true }
        do {
            try space.keepAhead(of: end, bytes, step: step)
            return true
        } catch {
            guard error.isOutOfSpace else { throw failures.record(error) }
            return false
        }
    }

    // MARK: - Durability

    /// Makes everything appended before the call durable. Any thread may call it.
    ///
    /// After it returns, call ``markSynced(through:)`` with the ``endOffset`` that was read *before* the call. It also
    /// fails if ``owner`` has lost its name, and after any failure: see ``LogSync``.
    package func sync() throws(IOFailure) { try syncs.run(file, owner: owner, failures) }

    /// Makes every later sync run `work` first: see ``LogSync/precede(by:)``.
    package func precedeSyncs(by work: @escaping LogSync.Work) { syncs.precede(by: work) }

    /// Records that the log is durable up to `offset`, an ``endOffset`` from before a ``sync()`` that has returned.
    /// Every later chunk carries the offset, so that damage before it is distinguished from a torn tail. Never
    /// decreases.
    package func markSynced(through offset: UInt64) {
        assert(offset <= end)
        synced = max(synced, min(offset, end))
    }

    // MARK: - Ends

    /// Ends writing. `truncating` frees the unused reserved space, unless that takes space that is missing. Syncs
    /// nothing. Idempotent.
    package func close(truncating: Bool) throws(IOFailure) {
        guard !isClosed else { return }
        isClosed = true
        mapping.unmap()
        var first: IOFailure?
        if truncating, failures.current == nil {
            do { try file.truncate(to: end) } catch { if !error.isOutOfSpace { first = error } }
        }
        do { try file.close() } catch { first = first ?? error }
        _ = failures.record(first ?? IOFailure("append", name, EBADF))
        if let first { throw first }
    }
}
