import Synchronization

/// One limit for the engine's memory.
///
/// Memtables, tables and buffers are charged as they grow. The block cache gets the rest, but never less than a floor.
/// Thread-safe; several stores may share a budget.
package final class MemoryBudget: Sendable {
    /// The purpose of a charge.
    package enum Use: Sendable {
        case memtables
        /// Indexes and filters of open segments, and the metadata of every segment.
        case tables
        /// Memory of cursors and jobs: read-ahead, decoded blocks, outputs.
        case buffers
    }

    private let limit: Atomic<Int>
    private let memtables = Atomic<Int>(0)
    private let tables = Atomic<Int>(0)
    private let buffers = Atomic<Int>(0)
    /// The bytes that the cache may always take.
    package let cacheFloorBytes: Int
    /// The bytes always reserved for buffers, so that the cache does not shrink and grow with every job.
    package let bufferFloorBytes: Int

    package init(limitBytes: Int, cacheFloorBytes: Int = 1 << 20, bufferFloorBytes: Int = 0) {
        limit = Atomic(limitBytes)
        self.cacheFloorBytes = cacheFloorBytes
        self.bufferFloorBytes = bufferFloorBytes
    }

    /// The limit in bytes. A change takes effect with the cache's next insertion or ``BlockCache/trim()``.
    package var limitBytes: Int {
        get { limit.load(ordering: .relaxed) }
        set { limit.store(newValue, ordering: .relaxed) }
    }

    package func charge(_ bytes: Int, for use: Use) {
        switch use {
        case .memtables: memtables.add(bytes, ordering: .relaxed)
        case .tables: tables.add(bytes, ordering: .relaxed)
        case .buffers: buffers.add(bytes, ordering: .relaxed)
        }
    }

    /// Sets the charge for memtables, for an owner that knows their sum.
    package func setMemtableBytes(_ bytes: Int) { memtables.store(bytes, ordering: .relaxed) }

    package func release(_ bytes: Int, for use: Use) { charge(-bytes, for: use) }

    package func charged(for use: Use) -> Int {
        switch use {
        case .memtables: memtables.load(ordering: .relaxed)
        case .tables: tables.load(ordering: .relaxed)
        case .buffers: buffers.load(ordering: .relaxed)
        }
    }

    /// The bytes that the block cache may hold now.
    package var cacheCapacityBytes: Int {
        let others =
            memtables.load(ordering: .relaxed) &+ tables.load(ordering: .relaxed)
            &+ max(bufferFloorBytes, buffers.load(ordering: .relaxed))
        return max(cacheFloorBytes, limitBytes &- others)
    }
}

/// The charge for one owner's working memory. The deinit releases it.
package struct BufferCharge: ~Copyable {
    private var budget: MemoryBudget?
    private var bytes = 0

    /// Makes a charge. Without a budget, nothing is counted.
    package init(_ budget: MemoryBudget? = nil) { self.budget = budget }

    deinit { budget?.release(bytes, for: .buffers) }

    /// Sets the charge to `bytes`.
    @inline(__always)
    package mutating func set(_ bytes: Int) {
        if bytes != self.bytes { change(to: bytes) }
    }

    /// Sets the charge, for an owner that learns its budget late. The budget must be the same in every call.
    @inline(__always)
    mutating func set(_ bytes: Int, on budget: MemoryBudget) {
        if bytes == self.bytes { return }
        self.budget = budget
        change(to: bytes)
    }

    private mutating func change(to bytes: Int) {
        budget?.charge(bytes - self.bytes, for: .buffers)
        self.bytes = bytes
    }
}
