import ShaleBase
import ShalePlatform

/// The stretch of a log that is mapped for appending: it follows the log's end in steps of ``stepBytes``.
///
/// Steps are what one huge page holds: the kernel then makes a window ready with one fault instead of 512, and a record
/// of 164 bytes costs 22 ns with everything, against 190 ns for a `pwrite`. The price is a pause of 0.3 to 1 ms at each
/// step. The first of them is taken in smaller ones, so that a small store's first write does not wait for all of it.
struct LogMapping {
    static let stepBytes: UInt64 = 2 << 20
    private static let firstStepBytes: UInt64 = 256 << 10

    /// Bytes of a step of this log; 0 when it is not mapped, or not any more: what could not be mapped once is written.
    private var step: UInt64
    private var window: FileWindow?
    // Of the window, side by side with what the commit path compares: no reference is counted there.
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var bytes = MutableBytes.empty
    private var faults: FaultFlag?

    private init(step: UInt64) { self.step = step }

    /// For a log whose first `reserved` bytes are preallocated: it must have a block at least. A window is as large as the
    /// step, or ends with the reserved space.
    init(reserved: UInt64) {
        self.init(step: reserved >= UInt64(LogFormat.blockSize) ? LogMapping.stepBytes : 0)
    }

    static let none = LogMapping(step: 0)

    /// Bytes of the step that holds `offset`.
    static func stepBytes(at offset: UInt64) -> UInt64 { offset < stepBytes ? firstStepBytes : stepBytes }

    /// The file's bytes `offset ..< offset + count`, which are inside one block; nil when the window does not hold them.
    @inline(__always)
    func lent(_ offset: UInt64, _ count: Int) -> MutableBytes? {
        guard offset >= start, offset &+ UInt64(truncatingIfNeeded: count) <= end else { return nil }
        return bytes.slice(Int(truncatingIfNeeded: offset &- start), count)
    }

    /// Whether a window may hold what ``lent(_:_:)`` said it does not.
    @inline(__always)
    var canMove: Bool { step > 0 }

    /// The same bytes, which are below `reserved`, after the window has moved to them; nil when they have to be written.
    mutating func memory(_ offset: UInt64, _ count: Int, of file: any WritableFile, reserved: UInt64) -> MutableBytes? {
        if let bytes = lent(offset, count) { return bytes }
        guard step > 0, move(to: offset, count, of: file, reserved: reserved) else { return nil }
        return lent(offset, count)
    }

    /// Where the mapped part of the file ends; 0 without one.
    var windowEnd: UInt64 { end }

    /// True if all that was stored into lent memory is in the file; otherwise ``confirm(_:_:)`` has to be asked.
    @inline(__always)
    var isConfirmed: Bool {
        guard let faults else { return false }
        return !faults.isRaised
    }

    /// Throws if what was stored into memory that was lent may not be in the file.
    func confirm(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        try window?.confirm(Int(truncatingIfNeeded: offset &- start), count)
    }

    /// Maps the step that holds `offset`. False leaves the mapping as it is: a place beyond the reserved space is written,
    /// which reserves more, and the next one can be mapped again.
    private mutating func move(to offset: UInt64, _ count: Int, of file: any WritableFile, reserved: UInt64) -> Bool {
        let step = LogMapping.stepBytes(at: offset)
        let first = offset / step * step
        let last = min(first + step, reserved / UInt64(LogFormat.blockSize) * UInt64(LogFormat.blockSize))
        guard offset + UInt64(count) <= last else { return false }
        unmap()
        guard let fresh = file.window(offset: first, count: Int(last - first)) else {
            self.step = 0
            return false
        }
        window = fresh
        (start, end) = (fresh.offset, fresh.end)
        bytes = fresh.bytes
        faults = fresh.faults
        return true
    }

    /// Gives the memory back.
    mutating func unmap() {
        window = nil
        (start, end) = (0, 0)
        bytes = .empty
        faults = nil
    }
}
