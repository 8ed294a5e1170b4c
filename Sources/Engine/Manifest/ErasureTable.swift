package import ShaleBase
import ShalePlatform
import Synchronization

/// The erasure state of all namespaces, for readers that may not wait.
///
/// Current readers look at three words per namespace: alive or not, and the newest watermarks. They are set after the
/// manifest edit that carries them is durable, so what a reader once saw erased stays erased after a crash. Readers at
/// a snapshot older than a watermark, and compaction, ask for the whole ``Erasure`` under a lock.
///
/// Cells never move: two levels, a fixed array of chunks, each made when its first namespace appears.
@safe
package final class ErasureTable: @unchecked Sendable {
    // Computed: every read asks for them, and a stored one that is not a literal is initialised behind a call.
    private static var chunkBits: Int { 10 }
    private static var chunkCells: Int { 1 << chunkBits }
    private static var chunkCount: Int { Int(FormatLimits.namespaceIDs) >> chunkBits }

    /// One namespace's words. In raw memory, accessed only through atomics.
    @unsafe
    struct Cell: ~Copyable {
        let isLive = Atomic<UInt64>(0)
        let truncatedThrough = Atomic<UInt64>(0)
        let purgedThrough = Atomic<UInt64>(0)
    }

    private let chunks: UnsafeMutablePointer<Atomic<UInt>>
    private let lock = Lock()
    private var erasures: [NamespaceID: Erasure] = [:]
    /// Dropped namespaces that a copy in the making still holds, with the sequences of their drops.
    private var kept: [(id: NamespaceID, sequence: SequenceNumber, erasure: Erasure)] = []

    package init() {
        unsafe chunks = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: ErasureTable.chunkCount)
        for i in 0..<ErasureTable.chunkCount { unsafe (chunks + i).initialize(to: Atomic(0)) }
    }

    deinit {
        for i in 0..<ErasureTable.chunkCount {
            let bits = unsafe chunks[i].load(ordering: .relaxed)
            if let chunk = unsafe UnsafeMutablePointer<Cell>(bitPattern: bits) {
                unsafe chunk.deinitialize(count: ErasureTable.chunkCells)
                unsafe chunk.deallocate()
            }
        }
        unsafe chunks.deinitialize(count: ErasureTable.chunkCount)
        unsafe chunks.deallocate()
    }

    private func cell(_ id: NamespaceID) -> UnsafeMutablePointer<Cell>? {
        let number = Int(id.rawValue)
        guard number >> ErasureTable.chunkBits < ErasureTable.chunkCount else { return nil }
        let bits = unsafe chunks[number >> ErasureTable.chunkBits].load(ordering: .acquiring)
        guard let chunk = unsafe UnsafeMutablePointer<Cell>(bitPattern: bits) else { return nil }
        return unsafe chunk + (number & (ErasureTable.chunkCells - 1))
    }

    private func makeCell(_ id: NamespaceID) -> UnsafeMutablePointer<Cell>? {
        if let existing = unsafe cell(id) { return unsafe existing }
        let slot = Int(id.rawValue) >> ErasureTable.chunkBits
        guard slot < ErasureTable.chunkCount else { return nil }
        let chunk = UnsafeMutablePointer<Cell>.allocate(capacity: ErasureTable.chunkCells)
        for i in 0..<ErasureTable.chunkCells { unsafe (chunk + i).initialize(to: Cell()) }
        unsafe chunks[slot].store(UInt(bitPattern: chunk), ordering: .releasing)
        return unsafe cell(id)
    }

    // MARK: Readers

    package func isLive(_ id: NamespaceID) -> Bool {
        guard let cell = unsafe cell(id) else { return false }
        return unsafe cell.pointee.isLive.load(ordering: .acquiring) != 0
    }

    /// The rule for a reader of the present.
    package func isPresent(_ id: NamespaceID, _ entry: FoundEntry, wallMilliseconds: Int64) -> Bool {
        guard let cell = unsafe cell(id) else { return false }
        return Visibility.isPresent(
            entry.trailer, expiry: entry.expiry,
            truncatedThrough: unsafe cell.pointee.truncatedThrough.load(ordering: .acquiring),
            purgedThrough: unsafe cell.pointee.purgedThrough.load(ordering: .acquiring),
            wallMilliseconds: wallMilliseconds)
    }

    /// The watermarks of a live namespace as an observer at `sequence` sees them. Takes no lock when the newest are seen.
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

    /// Everything about a namespace; one that does not live (any more) is dropped.
    package func erasure(of id: NamespaceID) -> Erasure {
        lock.withLock { erasures[id] ?? .dropped }
    }

    /// All live namespaces at one moment, and the dropped ones that are kept: what jobs may not do away with.
    package func snapshot() -> [NamespaceID: Erasure] {
        lock.withLock { kept.reduce(into: erasures) { $0[$1.id] = $1.erasure } }
    }

    // MARK: The manifest's turn

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

    /// Ends reads and writes of a namespace. `sequence`, if given, keeps its entries from jobs until
    /// ``forgetDropped(through:)``.
    package func drop(_ id: NamespaceID, keptSince sequence: SequenceNumber? = nil) {
        lock.withLock {
            let erasure = erasures.removeValue(forKey: id)
            if let sequence, let erasure { kept.append((id, sequence, erasure)) }
            guard let cell = unsafe cell(id) else { return }
            unsafe cell.pointee.isLive.store(PlantedBug.isActive(.readAfterDrop) ? 1 : 0, ordering: .releasing)
        }
    }

    /// Gives up the namespaces whose drop has a sequence up to this one.
    package func forgetDropped(through sequence: SequenceNumber) {
        lock.withLock { kept.removeAll { $0.sequence <= sequence } }
    }

    /// `oldest` is the sequence of the oldest live snapshot, or `nil`.
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
