import ShaleBase
import ShalePlatform
import Synchronization

/// The reserved space of a log's file: how far the file reaches beyond the log's end.
///
/// The callers' commit lock guards both values. They are atomic only so that a constant property of the writer can hold
/// them: the commit path then reads them without a check for exclusive access.
struct LogSpace: ~Copyable, Sendable {
    /// The bounds of a growth step of the reserved space, which is four times the present space. A step usually costs 5
    /// to 20 µs, whatever its size, but tens of milliseconds if the file system has to read its maps of free blocks. A
    /// rarely used log should still not take a memtable's worth of disk.
    static let growthBounds: ClosedRange<UInt64> = 1 << 20...16 << 20

    /// The parts of a log that a truncation must keep.
    struct Extent {
        /// The log's end.
        let end: UInt64
        /// The end of the mapped window; 0 without one.
        let windowEnd: UInt64

        /// The end of the space that is in use.
        var used: UInt64 { max(end, windowEnd) }
    }

    private let file: any WritableFile
    /// Called on the appending thread when little space is left ahead.
    private let onShortage: (@Sendable () -> Void)?
    private let reservedBytes: Atomic<UInt64>
    private let isGrowing: Atomic<Bool>
    private let hasTornEnd: Atomic<Bool>
    /// Held while a thread changes the file's size, because truncations and reservations must not overlap. See
    /// ``trim(ifOver:under:_:)``. Taken under the callers' commit lock, never the other way round.
    private let resizing = Lock()

    /// Creates the space of a file whose first `reserved` bytes are allocated. It never grows if `grows` is false, or
    /// if the file system can't reserve.
    init(
        _ file: any WritableFile, reserved: UInt64, grows: Bool, isTorn: Bool = false,
        onShortage: (@Sendable () -> Void)? = nil
    ) {
        self.file = file
        self.onShortage = onShortage
        let grows = grows && file.keepsReservations
        isGrowing = Atomic(grows)
        reservedBytes = Atomic(grows ? reserved : 0)
        hasTornEnd = Atomic(isTorn)
    }

    /// The size up to which the file is allocated; 0 in a log without reserved space.
    @inline(__always)
    var reserved: UInt64 { reservedBytes.load(ordering: .relaxed) }

    /// False in a log without reserved space.
    @inline(__always)
    var grows: Bool { isGrowing.load(ordering: .relaxed) }

    /// True if a part of a refused record stands after the log's end. The next append needs ``cutTornEnd(_:)`` first.
    @inline(__always)
    var isTorn: Bool { hasTornEnd.load(ordering: .relaxed) }

    /// True if a log that will reach `newEnd` needs ``grow(through:)`` first.
    @inline(__always)
    func mustGrow(through newEnd: UInt64) -> Bool { newEnd > reserved && grows }

    /// The next growth step.
    private var growth: UInt64 {
        min(max(4 * reserved, LogSpace.growthBounds.lowerBound), LogSpace.growthBounds.upperBound)
    }

    /// True if the log has reached the last step of its space.
    private func isShort(_ used: UInt64) -> Bool { reserved < used + LogMapping.stepBytes(at: used) }

    /// Reports a shortage if a log that has used the file up to `used` has reached the last step of its space.
    func noteUse(_ used: UInt64) { if isShort(used) { onShortage?() } }

    private func setReserved(_ bytes: UInt64) {
        if file.keepsReservations {
            reservedBytes.store(bytes, ordering: .relaxed)
        } else {
            isGrowing.store(false, ordering: .relaxed)
        }
    }

    /// Reserves space for a log that will reach `newEnd`. If the usual step does not fit the disk, it tries just enough
    /// for this record. If that is refused too, the space is unchanged and the error is about the lack of space.
    func grow(through newEnd: UInt64) throws(IOFailure) {
        resizing.lock()
        defer {
            resizing.unlock()
            onShortage?()
        }
        let exact = (newEnd + UInt64(LogFormat.blockSize) - 1) & ~UInt64(LogFormat.blockSize - 1)
        do {
            let wanted = max(exact, reserved + growth)
            try file.preallocate(wanted)
            return setReserved(wanted)
        } catch {
            guard error.isOutOfSpace else { throw error }
        }
        try file.preallocate(exact)
        reservedBytes.store(exact, ordering: .relaxed)
    }

    /// Removes the part of a refused record after the log's end, in a log without reserved space. No other thread
    /// changes the size of such a file.
    ///
    /// A copy-on-write file system may lack the space for that too. The part then stays, and the error says so:
    ///
    /// 1. A reader takes an incomplete record at the end of a log for a torn tail. None of its chunks proves that bytes
    ///    before it were durable, because all of them were encoded before a sync that could include them.
    /// 2. The next append removes the part and syncs first, or is refused. Otherwise a shorter record could leave
    ///    chunks of the part behind its own end, where a power loss could join them to a record that was cut in half.
    func cutTornEnd(_ end: UInt64) throws(IOFailure) {
        hasTornEnd.store(true, ordering: .relaxed)
        try file.truncate(to: end)
        hasTornEnd.store(false, ordering: .relaxed)
    }

    /// Reserves `step` bytes after `end` if fewer than `bytes` are left there.
    func keepAhead(of end: UInt64, _ bytes: UInt64, step: UInt64) throws(IOFailure) {
        guard grows, end + bytes > reserved else { return }
        let block = UInt64(LogFormat.blockSize)
        let wanted = (end + max(bytes, step) + block - 1) / block * block
        try file.preallocate(wanted)
        reservedBytes.store(wanted, ordering: .relaxed)
    }

    /// Reserves space before an append needs it: see ``LogWriter/reserveAhead(upTo:all:under:)``.
    ///
    /// - Parameter extent: Called under `commitLock`; returns nil for a closed log.
    func reserveAhead(
        upTo size: UInt64, all: Bool, under commitLock: Lock, _ extent: () -> Extent?
    ) throws(IOFailure) {
        let wanted: UInt64 = commitLock.withLock {
            guard grows, let extent = extent(), all || isShort(extent.used) else { return 0 }
            return all ? size : min(size, reserved + growth)
        }
        guard wanted > 0, commitLock.withLock({ wanted > reserved }) else { return }
        try resizing.withLock { () throws(IOFailure) in try file.preallocate(wanted) }
        commitLock.withLock { setReserved(max(reserved, wanted)) }
    }

    /// Truncates the space after the next two steps of the mapping if it is more than `slack` bytes: see
    /// ``LogWriter/trimSpace(ifOver:under:)``.
    ///
    /// - Parameter extent: Called under `commitLock`; returns nil for a closed log.
    func trim(ifOver slack: UInt64, under commitLock: Lock, _ extent: () -> Extent?) throws(IOFailure) {
        commitLock.lock()
        resizing.lock()
        defer { resizing.unlock() }
        guard grows, let extent = extent() else { return commitLock.unlock() }
        let end = extent.end
        let step = LogMapping.stepBytes(at: end)
        let kept =
            PlantedBug.isActive(.cutMappedWindow)
            ? end : max((end + step - 1) / step * step + step, extent.windowEnd)
        let isWorthwhile = reserved > kept + slack
        if isWorthwhile { reservedBytes.store(kept, ordering: .relaxed) }
        commitLock.unlock()
        if isWorthwhile { try file.truncate(to: kept) }
    }
}
