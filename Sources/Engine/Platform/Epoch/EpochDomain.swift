import ShaleBase
public import Synchronization

#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif
/// Epoch-based reclamation: readers pin, writers retire the objects that they have unlinked, and a collector releases
/// an object once no pin can see it.
///
/// Readers share no written cache line and never wait.
///
/// **Protocol.**
/// - A reader stores the global epoch into its slot, passes a full barrier, and only then loads shared pointers.
/// - A writer unlinks an object, so that no later load finds it, and passes a full barrier. It then takes the global
///   epoch *e* as the object's tag and raises the global epoch to *e* + 1.
/// - A collector frees an object with tag *e* once every slot holds 0 or more than *e*.
///
/// **Proof.** Let a pin load a pointer to an object that a writer unlinks. Write R for the reader's barrier, W for the
/// writer's. All barriers are sequentially consistent, so one comes first.
/// 1. W before R is impossible. The unlinking store precedes W and the reader's load follows R, so the load would
///    have found the object gone. Hence R comes before W.
/// 2. The reader loaded the global epoch before R, and the writer raised it to *e* + 1 after W. With R before W,
///    that load can't have seen this raise or a later one, so the slot got a value ≤ *e*. A value older than the
///    current one is harmless: it blocks more.
/// 3. The reader stored its slot before R, and the collector reads the slot after W (the retired list's lock orders
///    a collector on another thread behind the writer). With R before W, the collector reads that store or a later one
///    of the same slot. That store is ≤ *e*, and the object stays. A later one is the unpin or a newer pin: both
///    release and the collector acquires, so everything the reader did with the object precedes the free.
/// 4. A slot that is new or changes owner is handed over under the lock. A scan that comes wholly before the
///    handover is harmless: the new owner's loads come after the unlinking. A scan that comes wholly after it sees the
///    slot.
///
/// On x86 an atomic exchange is the cheapest full barrier. Other processors need a store and a fence, because a
/// sequentially consistent store alone does not keep a later acquiring load behind it.
///
/// Thread-safe. Engines borrow domains from ``EpochDomainPool``, which never frees them: a thread releases its slot
/// when it ends, which would write to a freed domain. ``shared`` serves segments that are read without an engine. Tests
/// make their own domains, which must outlive the threads that use them.
@safe
@usableFromInline
package final class EpochDomain: @unchecked Sendable {
    @usableFromInline package typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The process-wide domain. Reading a static costs a once-check, so hot code keeps its own reference.
    package static let shared = EpochDomain()

    /// The numbers of retirements and of retired bytes after which `retire` collects.
    package static let collectEveryCount = 64
    package static let collectEveryBytes = 1 << 20

    @usableFromInline let key: pthread_key_t
    /// The global epoch, on a cache line pair of its own: every pin reads it, every retirement writes it. It starts at
    /// 1, because 0 in a slot means "not pinned"; 64 bits never wrap.
    @usableFromInline let epoch: UnsafeMutablePointer<Atomic<UInt>>

    private let lock = Lock()
    // Guarded by `lock`:
    private var slots = EpochSlots()
    private var queue = RetiredQueue()
    private var countSinceCollect = 0
    private var bytesSinceCollect = 0
    /// The number of batches that a collector has taken from the queue and not yet released.
    private var batchesInRelease = 0
    private var watch: PinWatch?

    private struct PinWatch {
        /// Pins with this epoch or an earlier one are at least as old as the watch.
        let epoch: UInt
        let nanoseconds: UInt64
    }

    /// Makes a domain, or traps if the process has no thread-specific key left: without a domain no read is possible.
    package convenience init() {
        guard let key = EpochDomain.makeKey() else { preconditionFailure("no thread-specific key is left") }
        self.init(key: key)
    }

    /// Makes a domain; `nil` if the process has no thread-specific key left.
    package static func ifPossible() -> EpochDomain? { makeKey().map { EpochDomain(key: $0) } }

    private static func makeKey() -> pthread_key_t? {
        var key = pthread_key_t()
        let status = unsafe pthread_key_create(&key) { slot in
            let slot: UnsafeMutableRawPointer? = unsafe slot
            if let slot = unsafe slot { unsafe EpochSlot(base: slot).release() }
        }
        return status == 0 ? key : nil
    }

    private init(key: pthread_key_t) {
        self.key = key
        let line = UnsafeMutableRawPointer.allocate(byteCount: EpochSlot.stride, alignment: EpochSlot.stride)
        unsafe epoch = line.bindMemory(to: Atomic<UInt>.self, capacity: 1)
        unsafe epoch.initialize(to: Atomic(1))
    }

    deinit {
        for item in queue.take(before: UInt.max) { item.release() }
        pthread_key_delete(key)
        unsafe epoch.deinitialize(count: 1)
        unsafe UnsafeMutableRawPointer(epoch).deallocate()
    }

    // MARK: - Readers

    /// Pins the current epoch: until the matching `unpin`, nothing that the calling thread can reach is freed.
    ///
    /// Pins nest; an inner pin costs two memory accesses. A long pin keeps everything that is retired meanwhile.
    @inlinable @inline(__always)
    package func pin() -> EpochSlot {
        let slot = currentSlot()
        let depth = slot.nesting
        slot.nesting = depth &+ 1
        if depth == 0 {
            SchedulePoint.reach(.pin)
            let now = unsafe epoch.pointee.load(ordering: .relaxed)
            #if arch(x86_64) || arch(i386)
                _ = unsafe slot.epoch.pointee.exchange(now, ordering: .sequentiallyConsistent)
            #else
                unsafe slot.epoch.pointee.store(now, ordering: .releasing)
                atomicMemoryFence(ordering: .sequentiallyConsistent)
            #endif
        }
        return slot
    }

    @inlinable @inline(__always)
    package func unpin(_ slot: EpochSlot) {
        let depth = slot.nesting &- 1
        assert(depth >= 0)
        slot.nesting = depth
        if depth == 0 { unsafe slot.epoch.pointee.store(0, ordering: .releasing) }
    }

    @inlinable @inline(__always)
    package func withPin<Result: ~Copyable, Failure: Error>(
        _ body: (EpochSlot) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let slot = pin()
        defer { unpin(slot) }
        return try body(slot)
    }

    /// A small number that no other living thread has at the same time, for choosing among resources that threads
    /// should not share.
    @inlinable @inline(__always)
    package var threadNumber: Int { currentSlot().number }

    @inlinable @inline(__always)
    func currentSlot() -> EpochSlot {
        #if SHALE_SCHEDULES
            if let scheduler = ThreadScheduler.current {
                return scheduler.slot(in: ObjectIdentifier(self)) { ownSlot() }
            }
        #endif
        if let base = unsafe pthread_getspecific(key) { return unsafe EpochSlot(base: base) }
        return acquireSlot()
    }

    @usableFromInline @inline(never)
    func acquireSlot() -> EpochSlot {
        let slot = ownSlot()
        let status = unsafe pthread_setspecific(key, slot.base)
        precondition(status == 0, "no memory for thread-specific data")
        return slot
    }

    /// Returns a slot that belongs to no thread yet.
    @usableFromInline
    func ownSlot() -> EpochSlot { lock.withLock { slots.acquire() } }

    // MARK: - Writers

    /// Takes over the caller's reference to an unlinked object and releases it once no pin can see the object.
    ///
    /// The object's deinit runs on any thread that retires or collects, outside the domain's lock, and may retire
    /// further objects.
    ///
    /// - Parameters:
    ///   - bytes: The memory that the object keeps alive, for ``retiredBytes``.
    ///   - isUrgent: If true, `bytes` count towards ``collectEveryBytes``, at which this call collects.
    package func retire(_ object: consuming AnyObject, bytes: Int = 0, isUrgent: Bool = true) {
        let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
        if unsafe enqueue(pointer, free: nil, bytes: bytes, urgent: isUrgent ? bytes : 0) { collect() }
    }

    /// Retires a block of memory, which `free` releases once no pin can see it. Its `bytes` are urgent.
    package func retire(_ pointer: UnsafeMutableRawPointer, bytes: Int = 0, free: @escaping Free) {
        if unsafe enqueue(pointer, free: free, bytes: bytes, urgent: bytes) { collect() }
    }

    /// Returns true if a collection is due, by the number of retirements or by their `urgent` bytes.
    private func enqueue(_ pointer: UnsafeMutableRawPointer, free: Free?, bytes: Int, urgent: Int) -> Bool {
        SchedulePoint.reach(.retire)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return lock.withLock {
            // The tag is taken under the lock, so that the queue is ordered by tag.
            let tag = unsafe epoch.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            unsafe queue.append(Retired(pointer: pointer, free: free, epoch: tag, bytes: bytes))
            countSinceCollect += 1
            bytesSinceCollect += urgent
            return countSinceCollect >= EpochDomain.collectEveryCount
                || bytesSinceCollect >= EpochDomain.collectEveryBytes
        }
    }

    /// Releases everything that no pin can see. If the calling thread is pinned, its own pin counts.
    package func collect() {
        let batch = lock.withLock {
            countSinceCollect = 0
            bytesSinceCollect = 0
            let batch = queue.take(before: PlantedBug.isActive(.ignorePins) ? .max : slots.oldestPin)
            if !batch.isEmpty { batchesInRelease += 1 }
            return batch
        }
        guard !batch.isEmpty else { return }
        for item in batch { item.release() }
        lock.withLock { batchesInRelease -= 1 }
    }

    // MARK: - Tests and closing

    /// Waits until everything that was retired before the call has been released.
    ///
    /// Objects that those releases retire are not waited for. Must not be called inside a pin, nor from the deinit of a
    /// retired object.
    package func quiesce() {
        let isDone = quiesce(within: .max)
        assert(isDone)
    }

    /// Waits like ``quiesce()``, but at most `nanoseconds`.
    ///
    /// Returns false if objects are left, at once if the calling thread is pinned.
    package func quiesce(within nanoseconds: UInt64) -> Bool {
        let limit = unsafe epoch.pointee.load(ordering: .acquiring)
        let time = SystemTime()
        let began = time.monotonicNanoseconds
        var rounds = 0
        while true {
            collect()
            if lock.withLock({ queue.oldestEpoch >= limit && batchesInRelease == 0 }) { return true }
            guard currentSlot().nesting == 0, time.monotonicNanoseconds - began < nanoseconds else { return false }
            rounds += 1
            if rounds < 64 { yieldProcessor() } else { sleepNanoseconds(100_000) }
        }
    }

    // MARK: - Figures

    /// Returns a lower bound of the oldest pin's age at `nanoseconds` of some monotonic clock; 0 without a pin.
    ///
    /// The result is too small by at most the time between two calls or, if an older pin has ended since, by that pin's
    /// age.
    ///
    /// A pin does not record its time, because that would cost every read. Instead:
    ///
    /// 1. A call that finds a pin but no watch for it records the time and the epoch, and raises the epoch.
    /// 2. A pin whose epoch is at most the recorded one began before the raise. All later pins have later epochs.
    /// 3. While such a pin exists, the oldest pin is at least as old as the watch.
    package func observePins(at nanoseconds: UInt64) -> UInt64 {
        lock.withLock {
            let oldest = slots.oldestPin
            guard oldest != .max else {
                watch = nil
                return 0
            }
            if let watch, oldest <= watch.epoch {
                return nanoseconds > watch.nanoseconds ? nanoseconds - watch.nanoseconds : 0
            }
            let epoch = unsafe epoch.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            watch = PinWatch(epoch: epoch, nanoseconds: nanoseconds)
            return 0
        }
    }

    /// Ends the watch when the domain changes its engine: the next engine may use another clock.
    package func endWatch() { lock.withLock { watch = nil } }

    /// True if any thread is pinned.
    package var isPinned: Bool { lock.withLock { slots.oldestPin != .max } }

    /// The memory that retired objects keep alive, except objects already taken for release.
    package var retiredBytes: Int { lock.withLock { queue.bytes } }

    /// The number of retired objects that are not yet taken for release.
    package var retiredCount: Int { lock.withLock { queue.count } }

    /// The number of slots that belong to living threads.
    package var ownedSlotCount: Int { lock.withLock { slots.ownedCount } }
}
