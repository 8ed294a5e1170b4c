public import Synchronization

#if canImport(Darwin)
    public import Darwin
#elseif canImport(Musl)
    public import Musl
#else
    public import Glibc
#endif
/// Epoch-based reclamation: readers pin, writers retire what they have unlinked, and it is released when no pin can see
/// it any more. Readers share no written cache line and never wait.
///
/// **Protocol.** A reader stores the global epoch into its slot, passes a full barrier, and only then loads shared
/// pointers. A writer unlinks an object (so that no later load finds it), passes a full barrier, takes the global
/// epoch *e* as the object's tag and raises the global epoch to *e* + 1. A collector frees an object with tag *e* once
/// every slot holds 0 or more than *e*.
///
/// **Proof.** Let a pin load a pointer to an object that a writer unlinks. Write R for the reader's barrier, W for the
/// writer's. All barriers are sequentially consistent, so one comes first.
/// 1. W before R is impossible: the unlinking store precedes W, the reader's load follows R, so the load would have
///    found the object gone. Hence R comes before W.
/// 2. The reader loaded the global epoch before R, the writer raised it to *e* + 1 after W. With R before W that load
///    cannot have seen the raise, nor a later one: the slot got a value ≤ *e*. An older value than the current one is
///    harmless, as it blocks more.
/// 3. The reader stored its slot before R, and the collector reads the slot after W (the retired list's lock orders a
///    collector on another thread behind the writer). With R before W, it reads that store or a later one of the same
///    slot. The store itself is ≤ *e*, and the object stays. A later one is the unpin, or a newer pin: both release,
///    the collector acquires, so all that the reader did with the object comes before the free.
/// 4. A slot that changes owner, or is new, is handed over under the lock: a scan comes wholly before that, and then
///    the new owner's loads come after the unlinking, or wholly after it, and sees the slot.
///
/// On x86 an atomic exchange is the cheapest full barrier; elsewhere a store and a fence, because a sequentially
/// consistent store alone does not keep a later acquiring load behind it.
///
/// Thread-safe. Engines borrow domains from ``EpochDomainPool``, which keeps them for ever: a thread's slot is given back when
/// the thread ends, and a domain that had gone by then would be written after its end. ``shared`` serves segments that are
/// read without an engine. Tests make their own, which must outlive the threads that use them.
@safe
@usableFromInline
package final class EpochDomain: @unchecked Sendable {
    @usableFromInline package typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void

    /// The process's domain. Reading a static costs a once-check: hot code keeps its own reference.
    package static let shared = EpochDomain()

    /// Retirements, and retired bytes, after which `retire` collects by itself.
    package static let collectEveryCount = 64
    package static let collectEveryBytes = 1 << 20

    @usableFromInline let key: pthread_key_t
    /// On lines of its own: every pin reads it, every retirement writes it. Starts at 1, since 0 in a slot is "not
    /// pinned"; 64 bits never wrap.
    @usableFromInline let epoch: UnsafeMutablePointer<Atomic<UInt>>

    private let lock = Lock()
    // Guarded by `lock`:
    private var slots = EpochSlots()
    private var queue = RetiredQueue()
    private var countSinceCollect = 0
    private var bytesSinceCollect = 0
    /// Batches that a collector has taken from the queue and not yet released.
    private var batchesInRelease = 0
    private var watch: PinWatch?

    private struct PinWatch {
        /// Pins with this epoch or an earlier one are as old as the watch.
        let epoch: UInt
        let nanoseconds: UInt64
    }

    /// For a domain without which no read is possible.
    package convenience init() {
        guard let key = EpochDomain.makeKey() else { preconditionFailure("no thread-specific key is left") }
        self.init(key: key)
    }

    /// `nil` when the process has no thread-specific key left.
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

    /// From here until the matching `unpin`, nothing that the calling thread can reach is freed. Pins nest; an inner
    /// pin costs two memory accesses. A long pin keeps all that is retired meanwhile.
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

    /// A small number of the calling thread that no other thread has at the same time: for choosing among things of which
    /// threads should not share one.
    @inlinable @inline(__always)
    package var threadNumber: Int { currentSlot().number }

    @inlinable @inline(__always)
    func currentSlot() -> EpochSlot {
        if let base = unsafe pthread_getspecific(key) { return unsafe EpochSlot(base: base) }
        return acquireSlot()
    }

    @usableFromInline @inline(never)
    func acquireSlot() -> EpochSlot {
        let slot = lock.withLock { slots.acquire() }
        let status = unsafe pthread_setspecific(key, slot.base)
        precondition(status == 0, "no memory for thread-specific data")
        return slot
    }

    // MARK: - Writers

    /// Takes over the caller's reference to an unlinked object and releases it when no pin can see the object. `bytes`
    /// says how much memory hangs on it; if `isUrgent`, enough of them make this call collect. The deinit runs on any thread
    /// that retires or collects, without the domain's lock, and may retire in turn.
    package func retire(_ object: consuming AnyObject, bytes: Int = 0, isUrgent: Bool = true) {
        let pointer = unsafe Unmanaged.passRetained(object).toOpaque()
        if unsafe enqueue(pointer, free: nil, bytes: bytes, urgent: isUrgent ? bytes : 0) { collect() }
    }

    /// The same for a block of memory, which `free` gets.
    package func retire(_ pointer: UnsafeMutableRawPointer, bytes: Int = 0, free: @escaping Free) {
        if unsafe enqueue(pointer, free: free, bytes: bytes, urgent: bytes) { collect() }
    }

    /// Returns true if it is time to collect, by the number of retirements or by their `urgent` bytes.
    private func enqueue(_ pointer: UnsafeMutableRawPointer, free: Free?, bytes: Int, urgent: Int) -> Bool {
        SchedulePoint.reach(.retire)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        return lock.withLock {
            // Under the lock, so that the queue is in the order of the tags.
            let tag = unsafe epoch.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            unsafe queue.append(Retired(pointer: pointer, free: free, epoch: tag, bytes: bytes))
            countSinceCollect += 1
            bytesSinceCollect += urgent
            return countSinceCollect >= EpochDomain.collectEveryCount
                || bytesSinceCollect >= EpochDomain.collectEveryBytes
        }
    }

    /// Releases everything that no pin can see. The calling thread may be pinned; its own pin then counts.
    package func collect() {
        let batch = lock.withLock {
            countSinceCollect = 0
            bytesSinceCollect = 0
            let batch = queue.take(before: slots.oldestPin)
            if !batch.isEmpty { batchesInRelease += 1 }
            return batch
        }
        guard !batch.isEmpty else { return }
        for item in batch { item.release() }
        lock.withLock { batchesInRelease -= 1 }
    }

    // MARK: - Tests and closing

    /// Waits until everything that was retired before the call has been released. Not to be called inside a pin, nor
    /// by the deinit of a retired object. What those releases retire in turn is not waited for.
    package func quiesce() {
        let isDone = quiesce(within: .max)
        assert(isDone)
    }

    /// The same for a limited time: whether it came to that. Inside a pin it can't, and is not waited for.
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

    /// Returns how long, at least, the oldest pin has lasted at `nanoseconds` of some monotonic clock; 0 without a pin. The
    /// result is too small by at most the time between two calls or, if an older pin has ended since, by that pin's age.
    ///
    /// A pin does not note its time, which would cost every read. Instead a call that finds a pin and no watch notes the time
    /// and raises the epoch. A pin whose epoch is not above the one before began earlier than that, and all later pins have
    /// later epochs. As long as such a pin is found, the oldest pin is at least as old as the watch.
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

    /// For a domain that changes hands: the next one to observe may have another clock.
    package func endWatch() { lock.withLock { watch = nil } }

    /// Whether any thread is pinned.
    package var isPinned: Bool { lock.withLock { slots.oldestPin != .max } }

    /// Memory that hangs on what is retired and not yet taken for release.
    package var retiredBytes: Int { lock.withLock { queue.bytes } }

    /// Retired and not yet taken for release.
    package var retiredCount: Int { lock.withLock { queue.count } }

    /// Slots that belong to living threads.
    package var ownedSlotCount: Int { lock.withLock { slots.ownedCount } }
}
