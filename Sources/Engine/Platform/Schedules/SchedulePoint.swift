/// A place where a thread of the engine may lose the processor to another one, and where it matters.
///
/// In builds with the compilation condition `SHALE_SCHEDULES` a ``ThreadScheduler`` decides at each point which thread
/// goes on. Locks, conditions, parkers and threads reach points by themselves; ``reach(_:)`` stands in front of atomic
/// operations that order threads without a lock. In all other builds it is empty, and nothing is left of it.
@usableFromInline
package enum SchedulePoint: String, Sendable {
    case start, lock, tryLock, wait, notify, sleep, join, end, file
    /// The view, the visible sequence, pins, slots and rings that threads read without a lock.
    case view, visible, pin, retire, scanPool, changeRing, parker

    #if SHALE_SCHEDULES
        @usableFromInline
        package static func reach(_ point: SchedulePoint) { ThreadScheduler.current?.reach(point) }

        /// Notes that the calling thread uses the object at this address until ``endUse(of:)``, kept by nothing but its
        /// pin. A scheduler fails the run if the object is released meanwhile.
        @usableFromInline
        package static func beginUse(of object: UInt) { ThreadScheduler.current?.beginUse(of: object) }

        @usableFromInline
        package static func endUse(of object: UInt) { ThreadScheduler.current?.endUse(of: object) }

        /// Fails the run if a thread uses a retired object that is about to be released.
        static func willRelease(_ object: UnsafeMutableRawPointer) {
            ThreadScheduler.current?.checkUnused(UInt(bitPattern: object))
        }

        /// Overwrites freed memory, so that a thread that still reads it returns values that were never written.
        package static func poison(_ start: UnsafeMutableRawPointer, _ count: Int) {
            unsafe start.initializeMemory(as: UInt8.self, repeating: 0xdb, count: count)
        }
    #else
        @inlinable @inline(__always)
        package static func reach(_ point: SchedulePoint) {}

        @inlinable @inline(__always)
        package static func beginUse(of object: UInt) {}

        @inlinable @inline(__always)
        package static func endUse(of object: UInt) {}

        @inline(__always)
        static func willRelease(_ object: UnsafeMutableRawPointer) {}

        @inlinable @inline(__always)
        package static func poison(_ start: UnsafeMutableRawPointer, _ count: Int) {}
    #endif
}
