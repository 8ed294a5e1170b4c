import ShaleBase
import ShalePlatform

/// The limits of a namespace whose capacity is enforced on writing, in bytes of keys and values.
struct CapacityLimits: Equatable, Sendable {
    let maximumBytes: Int64
    /// The bytes that remain after a removal.
    let trimmedBytes: Int64
    /// Entries are removed only if they take more than this. An eighth of the distance to `trimmedBytes` lies between
    /// here and the maximum, so the entries are read at most once per that many written bytes.
    let removalBytes: Int64

    /// `nil` if the policy is not enforced on writing.
    init?(_ policy: PurgePolicy) {
        guard policy.enforcement == .onWrite, let maximum = policy.maximumBytes else { return nil }
        maximumBytes = maximum
        // The product with 1 may exceed the range of Int64: a file may hold any capacity.
        trimmedBytes = policy.trimTo < 1 ? Int64(Double(maximum) * policy.trimTo) : maximum
        removalBytes = maximum - (maximum - trimmedBytes) / 8
    }
}

/// A request to read the entries of a namespace, and to remove some of them if they take too much.
struct CapacityMeasurement {
    let stored: StoredPolicy
    let limits: CapacityLimits
    /// The bytes of writes that are in flight or wait for room.
    let pendingBytes: Int64
    /// The number of measurements that the waiting write has made before.
    let attempt: Int
    /// True if nothing is known about the namespace yet.
    let isFirst: Bool

    /// The bytes that may remain if entries are removed.
    var targetBytes: Int64 { min(limits.trimmedBytes, limits.maximumBytes - pendingBytes) }
}

/// Keeps the purgeable entries of one namespace within its capacity. Thread-safe.
///
/// A write charges its bytes before it commits, and waits if they don't fit. The claim is that the purgeable entries
/// that a reader sees never take more than the capacity:
///
/// 1. `bound` is at least the bytes of the visible purgeable entries, plus `inFlightBytes`. Writes only add to it:
///    entries that they replace, and entries that are deleted or expire, stay counted.
/// 2. Only a measurement lowers `bound`. It reads a snapshot. A write that ended before the snapshot is read. One that
///    has not ended when the measurement begins is in `carriedBytes`, and counts whether or not the snapshot has it.
///    No write is charged during a measurement.
/// 3. A charge is granted only if `bound` stays within the capacity. A charge is taken back only if its write has
///    certainly not been applied.
///
/// A write of several namespaces charges them in ascending order of their ids. A thread that waits here therefore holds
/// charges of smaller ids only, and those that hold the charges it waits for wait for greater ids only: no cycle.
final class CapacityAccount: @unchecked Sendable {
    private let lock = Lock()
    private let changed: Condition
    // Under `lock`.
    private var stored: StoredPolicy
    private var limits: CapacityLimits
    /// `nil` before the first write.
    private var bound: Int64?
    private var inFlightBytes: Int64 = 0
    private var isMeasuring = false
    private var carriedBytes: Int64 = 0

    init(_ stored: StoredPolicy, _ limits: CapacityLimits) {
        changed = Condition(lock)
        self.stored = stored
        self.limits = limits
    }

    /// Replaces the policy. Writes that wait continue with the new limits.
    func update(_ stored: StoredPolicy, _ limits: CapacityLimits) {
        lock.withLock {
            self.stored = stored
            self.limits = limits
            changed.broadcast()
        }
    }

    /// Waits until `bytes` fit. Calls `measure` without holding the lock, on this thread; it returns the bytes that the
    /// purgeable entries take at most, except those written since it began.
    ///
    /// - Throws: `.invalidArgument` if `bytes` exceed the capacity; the errors of `measure`. Nothing is charged then.
    func charge(
        _ bytes: Int64, _ measure: (CapacityMeasurement) throws(StorageError) -> Int64
    ) throws(StorageError) {
        lock.lock()
        defer { lock.unlock() }
        var attempt = 0
        while true {
            guard bytes <= limits.maximumBytes else {
                throw .invalid("the write exceeds its namespace's capacity bytes=\(bytes) of \(limits.maximumBytes)")
            }
            if !isMeasuring, let bound, bound + bytes <= limits.maximumBytes {
                self.bound = bound + bytes
                inFlightBytes += bytes
                return
            }
            let pending = inFlightBytes + bytes
            // Removing entries does not help while writes in flight take the room.
            if isMeasuring || (inFlightBytes > 0 && pending > limits.maximumBytes - limits.trimmedBytes) {
                changed.wait()
                continue
            }
            let request = CapacityMeasurement(
                stored: stored, limits: limits, pendingBytes: pending, attempt: attempt, isFirst: bound == nil)
            attempt += 1
            try measureUnlocked(request, measure)
        }
    }

    /// Requires the lock, which it releases during `measure`.
    private func measureUnlocked(
        _ request: CapacityMeasurement, _ measure: (CapacityMeasurement) throws(StorageError) -> Int64
    ) throws(StorageError) {
        isMeasuring = true
        carriedBytes = inFlightBytes
        lock.unlock()
        let result = Result { () throws(StorageError) in try measure(request) }
        lock.lock()
        isMeasuring = false
        changed.broadcast()
        bound = try result.get() + carriedBytes
    }

    /// Ends a charge. `isApplied` is false only if the write has certainly not been applied.
    func end(_ bytes: Int64, isApplied: Bool) {
        lock.withLock {
            inFlightBytes -= bytes
            if !isApplied {
                bound = bound.map { $0 - bytes }
                carriedBytes -= bytes
            }
            changed.broadcast()
        }
    }
}
