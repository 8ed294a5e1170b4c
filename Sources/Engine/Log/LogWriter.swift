package import ShaleBase
package import ShalePlatform
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Appends records to one log.
///
/// When `append` has returned, the record survives the death of the process: it was stored into a mapping of the file
/// where that is possible (see ``LogMapping``) and written with one system call elsewhere. Durability is ``sync()``.
///
/// Threads: everything belongs to one thread at a time (callers hold their commit lock), except ``sync()``,
/// ``failure``, ``reserveAhead(upTo:all:under:)`` and ``giveBackSpace(ifOver:under:)``, which any thread may use while another
/// appends; the last two by one thread at a time.
///
/// Failure: after the first write or sync that failed, the content of the file's tail is unknown, so the writer never
/// touches the file again and every later call throws that first failure.
@safe
package final class LogWriter: @unchecked Sendable {
    /// Records that need more framed bytes than this go to the file in pieces of about this size.
    package static let pieceBytes = 1 << 20

    /// The steps in which the reserved space grows: four times what there is, inside these bounds. A step mostly
    /// costs 5 to 20 µs, whatever its size, but tens of milliseconds when the file system has to read its maps of free
    /// blocks. A log that is hardly used should not take a memtable's worth of disk all the same.
    static let growthBounds: ClosedRange<UInt64> = 1 << 20...16 << 20

    package let number: UInt64

    /// Where the next record will begin, padding aside: the log's logical size. Advances only with whole records.
    package var endOffset: UInt64 { end }

    /// The offset that following chunks name as durable: see ``markSynced(through:)``.
    package var syncedOffset: UInt64 { synced }

    // Mutable state is private to the last word, so that the compiler can prove its accesses exclusive and the commit
    // path pays for no checks.
    private var end: UInt64
    private var synced: UInt64 = 0
    private let file: any WritableFile
    private let frameOwner: OwnedBytes
    /// Padding to the next block and one chunk of at most a block, in `frameOwner`'s memory: where single-chunk records
    /// are built.
    private let frame: MutableBytes
    private var mapping: LogMapping
    private var reservation = Reservation()
    /// Where longer records are framed that have to be written; allocated by the first of them.
    private var pieces = ByteBuffer()
    private var reservedSpace: UInt64
    /// False in a log without reserved space: one that shall have none, or whose file system can't reserve.
    private var grows: Bool
    /// Held while the size of the file is set by somebody: cuts and reservations must not overtake each other. See
    /// ``giveBackSpace(ifOver:under:)``. Taken under the callers' commit lock, never the other way round.
    private let cutting = Lock()
    private let onShortage: (@Sendable () -> Void)?
    /// Held during a sync: see ``sync()``.
    private let syncing = Lock()
    /// What nobody else may hold when something becomes durable. Set before the log is used.
    package var owner: (any FileLock)?
    private var isClosed = false
    private let hasFailed = Atomic<Bool>(false)
    private let firstFailure = Guarded<IOFailure?>(nil)

    /// A place inside ``frame`` or the mapping that `reserve` handed out.
    private struct Reservation {
        var padding = 0
        /// With its header.
        var chunkCount = 0
        var isSingle = false
        /// The whole chunk, if it is built in the file's own memory.
        var mapped: MutableBytes?
        /// False once committed: only checked in debug builds.
        var isOpen = false
    }

    /// Creates the log `name`, reserves `preallocate` bytes for it and writes its header; nothing is synced, neither the
    /// file nor its name. With `preallocate` 0 the file grows by its writes; otherwise space is reserved ahead, in steps
    /// of ``growthBounds``.
    package convenience init(
        directory: any Directory, name: String, number: UInt64, kind: LogKind, previous: LogPredecessor,
        preallocate: UInt64, isMapped: Bool = false
    ) throws(IOFailure) {
        let file = try LogWriter.prepareFile(in: directory, name: name, preallocate: preallocate)
        try self.init(
            file: file, number: number, kind: kind, previous: previous, preallocated: preallocate, isMapped: isMapped)
    }

    /// Creates a log's file ahead of its use: making one and reserving its space takes too long to do while writers wait.
    package static func prepareFile(
        in directory: any Directory, name: String, preallocate: UInt64
    ) throws(IOFailure) -> any WritableFile {
        let file = try directory.create(name)
        do {
            if preallocate > 0 { try file.preallocate(preallocate) }
        } catch {
            throw closed(file, after: error)
        }
        return file
    }

    /// Begins a log in a file that ``prepareFile(in:name:preallocate:)`` made, by writing its header. `isMapped` appends
    /// through a mapping where the file system can. `onShortage` is called, on the appending thread, when little space is
    /// left ahead.
    package init(
        file: any WritableFile, number: UInt64, kind: LogKind, previous: LogPredecessor, preallocated: UInt64,
        isMapped: Bool, onShortage: (@Sendable () -> Void)? = nil
    ) throws(IOFailure) {
        self.number = number
        self.file = file
        self.onShortage = onShortage
        frameOwner = OwnedBytes(count: LogFormat.chunkHeaderSize + LogFormat.blockSize)
        frame = frameOwner.mutable
        grows = preallocated > 0 && file.keepsReservations
        reservedSpace = grows ? preallocated : 0
        mapping = isMapped ? LogMapping(reserved: reservedSpace) : .none
        end = UInt64(LogFormat.headerSize)
        let header = LogHeader(kind: kind, number: number, previous: previous)
        header.encode(into: frame.slice(0, LogFormat.headerSize))
        do {
            try file.write(frame.bytes.slice(0, LogFormat.headerSize), at: 0)
        } catch {
            throw LogWriter.closed(file, after: error)
        }
    }

    /// Goes on in a log that was read to its end, `end`. The file is durable, its `reserved` bytes are allocated, and those
    /// behind `end` are zero.
    package init(continuing file: any WritableFile, number: UInt64, at end: UInt64, reserved: UInt64) {
        self.number = number
        self.file = file
        onShortage = nil
        frameOwner = OwnedBytes(count: LogFormat.chunkHeaderSize + LogFormat.blockSize)
        frame = frameOwner.mutable
        grows = file.keepsReservations
        reservedSpace = grows ? reserved : 0
        mapping = .none
        self.end = end
        synced = end
    }

    /// Gives up a file whose creation failed with `failure`. That is what the caller has to know: that closing failed
    /// too would add nothing, since nothing in the file counts.
    private static func closed(_ file: any WritableFile, after failure: IOFailure) -> IOFailure {
        do { try file.close() } catch { return failure }
        return failure
    }

    package var name: String { file.name }

    /// What made this log unusable, if anything did. An append that was refused only because no space could be
    /// reserved for it leaves this nil: nothing was written.
    package var failure: IOFailure? {
        hasFailed.load(ordering: .acquiring) ? firstFailure.withLock { $0 } : nil
    }

    // MARK: - Appending

    /// Appends one record, whole or, as far as ``endOffset`` tells, not at all. A record of several chunks is framed in
    /// the mapping on either route, where there is one: that saves copying it.
    package func append(_ record: Bytes, _ route: LogRoute = .mapped) throws(IOFailure) {
        if let payload = reserve(record.count, isSingle: false, route) {
            payload.copy(record, at: 0)
            try commit()
        } else {
            try appendInChunks(record)
        }
    }

    /// Lends the memory in which the next record, of exactly `byteCount` bytes, is to be built, so that it need not be
    /// copied: fill all of it, then ``commit()``. Nil when the record does not fit one chunk at the current end; use
    /// ``append(_:_:)`` then. The memory is valid until the next call of this writer.
    @inline(__always)
    package func reserve(_ byteCount: Int) -> MutableBytes? { reserve(byteCount, isSingle: false, .mapped) }

    /// The same with a shorter header, for records of one operation; the reader says so (``LogRecord/isSingle``). Also nil
    /// where the header can't say how far back the synced offset is.
    @inline(__always)
    package func reserveSingle(_ byteCount: Int, _ route: LogRoute = .mapped) -> MutableBytes? {
        guard end &- synced <= LogFormat.singleDistanceMax else { return nil }
        return reserve(byteCount, isSingle: true, route)
    }

    @inline(__always)
    private func reserve(_ byteCount: Int, isSingle: Bool, _ route: LogRoute) -> MutableBytes? {
        let room = LogFormat.blockSize &- LogFormat.blockIndex(end)
        let padding = room < LogFormat.chunkHeaderSize ? room : 0
        let headerBytes = isSingle ? LogFormat.singleHeaderSize : LogFormat.chunkHeaderSize
        let chunkBytes = headerBytes &+ byteCount
        guard chunkBytes <= (padding > 0 ? LogFormat.blockSize : room) else { return nil }
        // The window follows the log's end on both routes: it is what makes the blocks ready.
        let memory = mapped(end &+ UInt64(truncatingIfNeeded: padding), chunkBytes)
        let chunk = route == .mapped ? memory : nil
        reservation = Reservation(
            padding: padding, chunkCount: chunkBytes, isSingle: isSingle, mapped: chunk, isOpen: true)
        return (chunk ?? frame.slice(padding, chunkBytes)).slice(headerBytes, byteCount)
    }

    /// Appends the record that was built in the memory of the last ``reserve(_:)`` or ``reserveSingle(_:)``. Once per
    /// reservation.
    package func commit() throws(IOFailure) { try commitChunk(.full) }

    /// Appends an empty chunk that says how far the log is durable: the witness for the last record before a pause.
    package func appendMark() throws(IOFailure) {
        // Never nil: a header fits behind its padding.
        guard reserve(0, isSingle: false, .written) != nil else { return }
        try commitChunk(.mark)
    }

    @inline(__always)
    private func commitChunk(_ type: LogFormat.ChunkType) throws(IOFailure) {
        assert(reservation.isOpen)
        reservation.isOpen = false
        if hasFailed.load(ordering: .relaxed) { throw failureToReport }
        let padding = reservation.padding
        let count = reservation.chunkCount
        let offset = end &+ UInt64(truncatingIfNeeded: padding)
        let newEnd = offset &+ UInt64(truncatingIfNeeded: count)
        if let chunk = reservation.mapped {
            // What is skipped before the chunk is still zero: nothing was ever stored behind the end that then failed to
            // become a record, unless the log has failed.
            seal(chunk, type, at: offset)
            do { try confirm(offset, count) } catch { throw fail(error) }
        } else {
            if newEnd > reservedSpace { try growSpace(through: newEnd) }
            if padding > 0 { frame.zero(0, padding) }
            seal(frame.slice(padding, count), type, at: offset)
            do { try file.write(frame.bytes.slice(0, padding &+ count), at: end) } catch { throw refuse(error) }
        }
        end = newEnd
    }

    /// The error of a write that failed. Without reserved space, a full disk is found out by writing: what was written is
    /// cut off again, and the log is as it was. (Nobody else changes the size of such a file.)
    @inline(never)
    private func refuse(_ error: IOFailure) -> IOFailure {
        guard error.isOutOfSpace, !grows, mapping.windowEnd == 0 else { return fail(error) }
        do { try file.truncate(to: end) } catch { return fail(error) }
        return error
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
        if hasFailed.load(ordering: .relaxed) { throw failureToReport }
        guard record.count <= LogFormat.recordMax else { throw IOFailure("append", name, EMSGSIZE) }
        let newEnd = LogFormat.endOffset(ofRecord: record.count, appendedAt: end)
        if newEnd > reservedSpace { try growSpace(through: newEnd) }
        var framer = LogFramer(record, number: number, offset: end, syncedOffset: synced)
        repeat {
            if let chunk = mapped(framer.nextOffset, framer.nextCount) {
                // What is skipped before the chunk is still zero, as in `commitChunk`.
                framer.frameChunk(into: chunk)
                do { try confirm(framer.offset - UInt64(chunk.count), chunk.count) } catch { throw fail(error) }
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

    /// The file's own memory for bytes inside one block; nil when they have to be written.
    ///
    /// What calls out of this class works on a copy of the mapping: if one call were made during an access to it, every
    /// access, at every record, would be checked for exclusivity.
    @inline(__always)
    private func mapped(_ offset: UInt64, _ count: Int) -> MutableBytes? {
        if let bytes = mapping.lent(offset, count) { return bytes }
        return mapping.canMove ? moveMapping(to: offset, count) : nil
    }

    @inline(never)
    private func moveMapping(to offset: UInt64, _ count: Int) -> MutableBytes? {
        var moved = mapping
        mapping = .none
        let bytes = moved.memory(offset, count, of: file, reserved: reservedSpace)
        mapping = moved
        if isShort { onShortage?() }
        return bytes
    }

    /// Throws if what was stored into mapped memory may not be in the file.
    @inline(__always)
    private func confirm(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        if !mapping.isConfirmed { try confirmSlowly(offset, count) }
    }

    @inline(never)
    private func confirmSlowly(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        let mapping = mapping
        try mapping.confirm(offset, count)
    }

    /// Reserves space for a log that will reach `newEnd`. When the usual step does not fit the disk, just enough for this
    /// record is tried; a refusal of that too leaves the log as it was, and usable.
    @inline(never)
    private func growSpace(through newEnd: UInt64) throws(IOFailure) {
        guard grows else { return }
        cutting.lock()
        defer {
            cutting.unlock()
            onShortage?()
        }
        let exact = (newEnd + UInt64(LogFormat.blockSize) - 1) & ~UInt64(LogFormat.blockSize - 1)
        do {
            let wanted = max(exact, reservedSpace + growth)
            try file.preallocate(wanted)
            if file.keepsReservations { reservedSpace = wanted } else { grows = false }
            return
        } catch {
            guard error.isOutOfSpace else { throw fail(error) }
        }
        do {
            try file.preallocate(exact)
            reservedSpace = exact
        } catch {
            throw error.isOutOfSpace ? error : fail(error)
        }
    }

    // MARK: - Space ahead

    /// The next step in which the reserved space grows.
    private var growth: UInt64 {
        min(max(4 * reservedSpace, LogWriter.growthBounds.lowerBound), LogWriter.growthBounds.upperBound)
    }

    /// Whether the log has come to the last step of its space.
    private var isShort: Bool {
        let used = max(end, mapping.windowEnd)
        return reservedSpace < used + LogMapping.stepBytes(at: used)
    }

    /// Reserves space before an append needs it: `size` bytes in all, or a step towards that when little is left. Only the
    /// look at the log is taken under `commitLock`, which the caller does not hold.
    ///
    /// An append that needs more than is reserved waits meanwhile, as it does for a cut: no append is ever written above the
    /// size that a running reservation found. (The kernel makes it wait anyway, for the file.)
    package func reserveAhead(upTo size: UInt64, all: Bool, under commitLock: Lock) throws(IOFailure) {
        let wanted: UInt64 = commitLock.withLock {
            guard grows, !isClosed, all || isShort else { return 0 }
            return all ? size : min(size, reservedSpace + growth)
        }
        guard wanted > 0, commitLock.withLock({ wanted > reservedSpace }) else { return }
        try cutting.withLock { () throws(IOFailure) in try file.preallocate(wanted) }
        commitLock.withLock {
            if file.keepsReservations { reservedSpace = max(reservedSpace, wanted) } else { grows = false }
        }
    }

    /// Cuts off the space behind the next two steps of the mapping, if that is more than `slack` bytes: what a log has that
    /// nobody writes to. Takes milliseconds, but only the look at the log is taken under `commitLock`, which the caller does
    /// not hold.
    ///
    /// What is cut is never stored to: mapped windows end before it, and whoever needs more space, reserving it again,
    /// waits until the cut is done. (The other way round, the cut would take what was just reserved and written.) A cut
    /// that fails leaves a file that is longer than need be.
    package func giveBackSpace(ifOver slack: UInt64, under commitLock: Lock) throws(IOFailure) {
        commitLock.lock()
        cutting.lock()
        defer { cutting.unlock() }
        let step = LogMapping.stepBytes(at: end)
        let kept = max((end + step - 1) / step * step + step, mapping.windowEnd)
        let isWorthwhile = grows && !isClosed && reservedSpace > kept + slack
        if isWorthwhile { reservedSpace = kept }
        commitLock.unlock()
        if isWorthwhile { try file.truncate(to: kept) }
    }

    /// Reserves `step` bytes behind the end when fewer than `bytes` are left there. False if there is no space for that, and
    /// nothing has changed. For a log that one thread at a time uses.
    package func keepAhead(_ bytes: UInt64, step: UInt64) throws(IOFailure) -> Bool {
        guard grows, !isClosed, end + bytes > reservedSpace else { return true }
        let block = UInt64(LogFormat.blockSize)
        let wanted = (end + max(bytes, step) + block - 1) / block * block
        do {
            try file.preallocate(wanted)
            reservedSpace = wanted
            return true
        } catch {
            guard error.isOutOfSpace else { throw fail(error) }
            return false
        }
    }

    // MARK: - Durability

    /// Makes everything appended before the call durable. Any thread; after it returned, tell the log with
    /// ``markSynced(through:)`` the ``endOffset`` that was read *before* the call. A failed sync is never repeated: the
    /// kernel may have dropped what it could not write and would report success. For the same reason one sync runs at a
    /// time: of two that run at once, the kernel tells one of the failure. A second caller waits, and then syncs or throws
    /// the failure of the first.
    ///
    /// Fails as well if ``owner`` has lost its name by the end of it. If it has not, then whoever takes that name later
    /// finds in the file what was synced.
    package func sync() throws(IOFailure) {
        let isAlone = !PlantedBug.isActive(.overlapSyncs)
        if isAlone { syncing.lock() }
        defer { if isAlone { syncing.unlock() } }
        if hasFailed.load(ordering: .acquiring) { throw failureToReport }
        do {
            try file.sync()
            if !PlantedBug.isActive(.trustLostLock) { try owner?.verify() }
        } catch {
            if PlantedBug.isActive(.ignoreSyncFailure) { return }
            if PlantedBug.isActive(.retryFailedSync) { return try file.sync() }
            throw fail(error)
        }
    }

    /// Records that the log is durable up to `offset`, an ``endOffset`` from before a ``sync()`` that has returned. Every
    /// following chunk carries it, and damage before it will be told from a torn tail. Never falls.
    package func markSynced(through offset: UInt64) {
        assert(offset <= end)
        synced = max(synced, min(offset, end))
    }

    /// Makes everything durable, with a mark that vouches for it where there is space for one: nothing follows.
    package func seal() throws(IOFailure) {
        let size = end
        guard size > UInt64(LogFormat.headerSize) else { return }
        try sync()
        markSynced(through: size)
        do throws(IOFailure) {
            try appendMark()
        } catch {
            guard error.isOutOfSpace, failure == nil else { throw error }
            return
        }
        try sync()
    }

    // MARK: - Ends

    /// Ends writing; `truncating` gives the unused reserved space back. Syncs nothing. Idempotent.
    package func close(truncating: Bool) throws(IOFailure) {
        guard !isClosed else { return }
        isClosed = true
        mapping.unmap()
        var first: IOFailure?
        if truncating, !hasFailed.load(ordering: .acquiring) {
            do { try file.truncate(to: end) } catch { first = error }
        }
        do { try file.close() } catch { first = first ?? error }
        _ = fail(first ?? IOFailure("append", name, EBADF))
        if let first { throw first }
    }

    /// Remembers `failure` unless an earlier one is known, and returns the one to throw.
    private func fail(_ failure: IOFailure) -> IOFailure {
        let first = firstFailure.withLock { stored in
            let first = stored ?? failure
            stored = first
            return first
        }
        hasFailed.store(true, ordering: .releasing)
        return first
    }

    private var failureToReport: IOFailure {
        firstFailure.withLock { $0 } ?? IOFailure("append", name, EIO)
    }
}
