import ShaleBase
import ShalePlatform

/// The way in which a record is stored in the log's file. Both ways result in the same bytes, the same survival of a
/// process death and the same failure semantics. They may alternate.
package enum AppendMethod {
    /// A store into the mapping, if there is one. The cheapest way for records that are not synced one by one.
    case mapped
    /// A `pwrite`. Cheaper for a record that is synced right away: a sync write-protects the pages that it has cleaned.
    /// The next store into the mapping then faults, and has to notify the other processors.
    case written
}

/// The mapped part of a log, for appending. It follows the log's end in steps of ``stepBytes``.
///
/// A step has the size of a huge page, so that the kernel maps a window with one fault instead of 512. A record of 164
/// bytes then costs 22 ns in total, against 190 ns for a `pwrite`. The cost is a pause of 0.3 to 1 ms at each step. The
/// first step is divided into smaller ones, so that the first write to a small store does not wait for the whole step.
struct LogMapping {
    static let stepBytes: UInt64 = 2 << 20
    private static let firstStepBytes: UInt64 = 256 << 10

    /// The bytes of a step of this log; 0 if it is not mapped. After a failed mapping the log is written.
    private var step: UInt64
    private var window: FileWindow?
    // Copies of the window's properties next to the fields that the commit path compares. So that path counts no
    // references.
    private var start: UInt64 = 0
    private var end: UInt64 = 0
    private var bytes = MutableBytes.empty
    private var faults: FaultFlag?

    private init(step: UInt64) { self.step = step }

    /// Creates the mapping of a log whose first `reserved` bytes are preallocated; it needs at least one block. A
    /// window is as large as the step, or ends with the reserved space.
    init(reserved: UInt64) {
        self.init(step: reserved >= UInt64(LogFormat.blockSize) ? LogMapping.stepBytes : 0)
    }

    static let none = LogMapping(step: 0)

    /// Returns the bytes of the step that contains `offset`.
    static func stepBytes(at offset: UInt64) -> UInt64 { offset < stepBytes ? firstStepBytes : stepBytes }

    /// Returns the memory of the file's bytes `offset ..< offset + count`, which are inside one block; nil if the
    /// window does not contain them.
    @inline(__always)
    func mapped(_ offset: UInt64, _ count: Int) -> MutableBytes? {
        guard offset >= start, offset &+ UInt64(truncatingIfNeeded: count) <= end else { return nil }
        return bytes.slice(Int(truncatingIfNeeded: offset &- start), count)
    }

    /// True if another window may contain bytes for which ``mapped(_:_:)`` returned nil.
    @inline(__always)
    var canMove: Bool { step > 0 }

    /// Returns the memory of the same bytes, after moving the window to them if necessary. Returns nil if they are not
    /// below `reserved` or can't be mapped; then they have to be written.
    mutating func memory(_ offset: UInt64, _ count: Int, of file: any WritableFile, reserved: UInt64) -> MutableBytes? {
        if let bytes = mapped(offset, count) { return bytes }
        guard step > 0, move(to: offset, count, of: file, reserved: reserved) else { return nil }
        return mapped(offset, count)
    }

    /// The end of the mapped part of the file; 0 without one.
    var windowEnd: UInt64 { end }

    /// True if everything stored into returned memory is in the file. Otherwise call ``confirm(_:_:)``.
    @inline(__always)
    var isConfirmed: Bool {
        guard let faults else { return false }
        return !faults.isRaised
    }

    /// Throws if data stored into returned memory may not be in the file.
    func confirm(_ offset: UInt64, _ count: Int) throws(IOFailure) {
        try window?.confirm(Int(truncatingIfNeeded: offset &- start), count)
    }

    /// Maps the step that contains `offset`. Returns false if the bytes exceed the reserved space. They are then
    /// written, which reserves more, so that later bytes can be mapped.
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

    /// Releases the window.
    mutating func unmap() {
        window = nil
        (start, end) = (0, 0)
        bytes = .empty
        faults = nil
    }
}

/// The part of a frame or of a mapping in which ``LogWriter/reserve(_:)`` lets a record be built.
struct LogReservation {
    var padding = 0
    /// The chunk's bytes, including its header.
    var chunkCount = 0
    var isSingle = false
    /// The whole chunk, if it is built in the file's own memory.
    var mapped: MutableBytes?
    /// False after the commit; checked only in debug builds.
    var isOpen = false
}
