package import ShaleBase
import ShalePlatform
import Synchronization

/// The erasure state of all namespaces, for readers that must not wait.
///
/// Readers without a snapshot read three words per namespace: if it is live, and the newest watermarks. They are set
/// after the manifest edit with them is durable, so an entry that a reader has seen erased stays erased after a crash.
/// Compaction, and readers at a snapshot older than a watermark, read the whole ``Erasure`` under a lock.
///
/// Cells never move: they are in a fixed array of chunks, each allocated when its first namespace is created.
@safe
package final class ErasureTable: @unchecked Sendable {
    // Computed properties, because every read uses them, and initialising a stored one that is not a literal takes a
    // call.
    private static var chunkBits: Int { 10 }
    private static var chunkCells: Int { 1 << chunkBits }
    private static var chunkCount: Int { Int(FormatLimits.namespaceIDs) >> chunkBits }

    /// The words of one namespace. In raw memory, accessed only through atomics.
    @unsafe
    struct Cell: ~Copyable {
        let isLive = Atomic<UInt64>(0)
        let truncatedThrough = Atomic<UInt64>(0)
        let purgedThrough = Atomic<UInt64>(0)
    }

    private let chunks: UnsafeMutablePointer<Atomic<UInt>>
    private let lock = Lock()
    /// The slots of `chunks` that are in use.
    private var slots: [Int] = []
    private var erasures: [NamespaceID: Erasure] = [:]
    /// Dropped namespaces that a running copy still needs, with the sequences of their drops.
    private var kept: [(id: NamespaceID, sequence: SequenceNumber, erasure: Erasure)] = []

    package init() {
        unsafe chunks = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: ErasureTable.chunkCount)
        // At once: a store with few namespaces opens in the time of a loop over all slots.
        unsafe UnsafeMutableRawPointer(chunks).initializeMemory(
            as: UInt.self, repeating: 0, count: ErasureTable.chunkCount)
    }

    deinit {
        for slot in slots {
            guard let chunk = unsafe chunk(slot) else { continue }
            unsafe chunk.deinitialize(count: ErasureTable.chunkCells)
            unsafe chunk.deallocate()
        }
        unsafe chunks.deinitialize(count: ErasureTable.chunkCount)
        unsafe chunks.deallocate()
    }

    private func cell(_ id: NamespaceID) -> UnsafeMutablePointer<Cell>? {
        let number = Int(id.rawValue)
        guard number >> ErasureTable.chunkBits < ErasureTable.chunkCount else { return nil }
        guard let chunk = unsafe chunk(number >> ErasureTable.chunkBits) else { return nil }
        return unsafe chunk + (number & (ErasureTable.chunkCells - 1))
    }

    /// Returns the chunk of `slot`, or nil if none of its namespaces was created. The caller has checked the slot.
    private func chunk(_ slot: Int) -> UnsafeMutablePointer<Cell>? {
        assert(slot < ErasureTable.chunkCount)
        return unsafe UnsafeMutablePointer<Cell>(bitPattern: chunks[slot].load(ordering: .acquiring))
    }

    private func makeCell(_ id: NamespaceID) -> UnsafeMutablePointer<Cell>? {
        if let existing = unsafe cell(id) { return unsafe existing }
        let slot = Int(id.rawValue) >> ErasureTable.chunkBits
        guard slot < ErasureTable.chunkCount else { return nil }
        let chunk = UnsafeMutablePointer<Cell>.allocate(capacity: ErasureTable.chunkCells)
        for i in 0..<ErasureTable.chunkCells { unsafe (chunk + i).initialize(to: Cell()) }
        unsafe chunks[slot].store(UInt(bitPattern: chunk), ordering: .releasing)
        slots.append(slot)
        return unsafe cell(id)
    }

    // MARK: Readers

    package func isLive(_ id: NamespaceID) -> Bool {
        guard let cell = unsafe cell(id) else { return false }
        return unsafe cell.pointee.isLive.load(ordering: .acquiring) != 0
    }

    /// True if `entry` is visible to a reader without a snapshot.
    package func isPresent(_ id: NamespaceID, _ entry: FoundEntry, wallMilliseconds: Int64) -> Bool {
        guard let cell = unsafe cell(id) else { return false }
        return Visibility.isPresent(
            entry.trailer, expiry: entry.expiry,
            truncatedThrough: unsafe cell.pointee.truncatedThrough.load(ordering: .acquiring),
            purgedThrough: unsafe cell.pointee.purgedThrough.load(ordering: .acquiring),
            wallMilliseconds: wallMilliseconds)
    }

    /// Returns the watermarks of a live namespace for a read point at `sequence`. Takes no lock if the read point sees
    /// the newest.
    package func watermarks(
        of id: NamespaceID, at sequence: SequenceNumber
    ) -> (truncatedThrough: SequenceNumber, purgedThrough: SequenceNumber) {
        if let cell = unsafe cell(id) {
            let truncated = unsafe cell.pointee.truncatedThrough.load(ordering: .acquiring)
            let purged = unsafe cell.pointee.purgedThrough.load(ordering: .acquiring)
            if truncated <= sequence, purged <= sequence { return (truncated, purged) }
        }
        let erasure = erasure(of: id)
        return (erasure.truncatedThrough(at: sequence), erasure.purgedThrough(at: sequence))
    }

    /// Returns the erasure of a namespace; ``Erasure/dropped`` if it is not live.
    package func erasure(of id: NamespaceID) -> Erasure {
        lock.withLock { erasures[id] ?? .dropped }
    }

    /// Returns all live namespaces at one moment, and the dropped ones whose entries jobs must keep.
    package func snapshot() -> [NamespaceID: Erasure] {
        lock.withLock { kept.reduce(into: erasures) { $0[$1.id] = $1.erasure } }
    }

    // MARK: Changes, after the manifest's edit

    package func create(_ record: NamespaceRecord) {
        lock.withLock {
            guard let cell = unsafe makeCell(record.id) else { return }
            erasures[record.id] = Erasure(
                truncatedThrough: record.truncatedThrough, purgedThrough: record.purgedThrough)
            unsafe cell.pointee.truncatedThrough.store(record.truncatedThrough, ordering: .releasing)
            unsafe cell.pointee.purgedThrough.store(record.purgedThrough, ordering: .releasing)
            unsafe cell.pointee.isLive.store(1, ordering: .releasing)
        }
    }

    /// Ends reads and writes of a namespace. If `sequence` is given, jobs keep the namespace's entries until
    /// ``forgetDropped(through:)``.
    package func drop(_ id: NamespaceID, keptSince sequence: SequenceNumber? = nil) {
        lock.withLock {
            let erasure = erasures.removeValue(forKey: id)
            if let sequence, let erasure { kept.append((id, sequence, erasure)) }
            guard let cell = unsafe cell(id) else { return }
            unsafe cell.pointee.isLive.store(PlantedBug.isActive(.readAfterDrop) ? 1 : 0, ordering: .releasing)
        }
    }

    /// Lets jobs remove the entries of namespaces that were dropped at or before `sequence`.
    package func forgetDropped(through sequence: SequenceNumber) {
        lock.withLock { kept.removeAll { $0.sequence <= sequence } }
    }

    /// Sets a namespace's truncation watermark. `oldest` is the sequence of the oldest live snapshot, or `nil`.
    package func truncate(_ id: NamespaceID, through sequence: SequenceNumber, oldest: SequenceNumber?) {
        lock.withLock {
            erasures[id]?.truncations.append(sequence)
            erasures[id]?.forget(before: oldest ?? .max)
            guard let cell = unsafe cell(id) else { return }
            unsafe cell.pointee.truncatedThrough.store(sequence, ordering: .releasing)
        }
    }

    package func purge(_ id: NamespaceID, through sequence: SequenceNumber, oldest: SequenceNumber?) {
        lock.withLock {
            erasures[id]?.purges.append(sequence)
            erasures[id]?.forget(before: oldest ?? .max)
            guard let cell = unsafe cell(id) else { return }
            unsafe cell.pointee.purgedThrough.store(sequence, ordering: .releasing)
        }
    }
}
