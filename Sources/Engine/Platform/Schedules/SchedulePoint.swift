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
    #else
        @inlinable @inline(__always)
        package static func reach(_ point: SchedulePoint) {}
    #endif
}
