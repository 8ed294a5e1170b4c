package import ShaleBase
package import ShalePlatform
import Synchronization

/// An immutable sorted file, open for reading.
///
/// Making one opens nothing: file, index and filter are loaded and verified when first used, and stay until the object
/// dies; the file handle may be closed and reopened in between. Thread-safe.
///
/// **Lifetime.** Lookups lend memory under the caller's epoch pin. Whoever drops the last reference does so through the
/// epoch domain, or knows that nobody reads; cached blocks leave the cache with the object.
@safe
package final class Segment: @unchecked Sendable {
    package let metadata: SegmentMetadata
    private let smallest: OwnedBytes
    private let largest: OwnedBytes
    let environment: SegmentEnvironment
    let file: SegmentFile
    /// A copy of the reference, so that a hit does not go through the environment.
    let notes: ReaderNotes
    /// The environment's.
    let domain: BorrowedDomain

    /// Set once, when loaded; the memory belongs to `storage`.
    private let loaded: Atomic<UnsafeMutablePointer<SegmentTables>?> = unsafe Atomic(nil)
    private let loadLock = Lock()
    /// Guarded by `loadLock` until set, constant afterwards.
    private var storage: SegmentTableStorage?

    package init(metadata: SegmentMetadata, directory: any Directory, environment: SegmentEnvironment) {
        self.metadata = metadata
        smallest = OwnedBytes(metadata.smallestKey)
        largest = OwnedBytes(metadata.largestKey)
        self.environment = environment
        notes = environment.cache.notes
        domain = BorrowedDomain(environment.domain)
        file = SegmentFile(number: metadata.number, directory: directory, files: environment.files)
        environment.budget.charge(metadata.memoryBytes, for: .tables)
    }

    deinit {
        environment.budget.release(metadata.memoryBytes, for: .tables)
        guard let storage else { return }
        let slots = unsafe storage.tables.pointee.slots
        unsafe environment.cache.removeAll(in: slots, count: storage.index.count)
        environment.budget.release(storage.bytes, for: .tables)
    }

    /// The raw filter, once the segment is open. Lives as long as this object.
    var rawFilter: Bytes? { loadLock.withLock { storage?.filter?.bytes } }

    /// Nil when the segment is not open, or has none.
    var dictionaries: SegmentDictionaries? { loadLock.withLock { storage?.dictionaries } }

    /// How the segment says that it was compressed. Does not load its index: a tool that looks at all segments of a store
    /// would keep them all in memory. Two small reads unless the segment is open.
    package func compression() throws(StorageError) -> CompressionRecord? {
        if let storage = loadLock.withLock({ storage }) { return storage.compression }
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let loader = SegmentLoader(file: file, scratch: scratch)
        return try loader.properties(try loader.footer(size: metadata.fileBytes)).compression
    }

    /// The first and the last encoded key. Valid as long as this object lives.
    package var smallestKey: Bytes { smallest.bytes }
    package var largestKey: Bytes { largest.bytes }
    package var number: UInt64 { metadata.number }

    /// Reads what a file says of itself, for tools and repair: the metadata that its writer returned.
    package static func metadata(
        number: UInt64, directory: any Directory, environment: SegmentEnvironment
    ) throws(StorageError) -> SegmentMetadata {
        let file = SegmentFile(number: number, directory: directory, files: environment.files)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try SegmentLoader(file: file, scratch: scratch).metadata()
    }

    /// The file's size. The file stays open from then on, as far as the limit of open files permits.
    package func fileSize() throws(StorageError) -> UInt64 { try file.size() }

    /// Loads and verifies index and filter if that has not happened yet.
    package func open() throws(StorageError) { _ = unsafe try tables() }

    /// The tables live as long as this object.
    @inline(__always)
    func tables() throws(StorageError) -> UnsafeMutablePointer<SegmentTables> {
        if let tables = unsafe loaded.load(ordering: .acquiring) { return unsafe tables }
        return unsafe try load()
    }

    @inline(never)
    private func load() throws(StorageError) -> UnsafeMutablePointer<SegmentTables> {
        loadLock.lock()
        defer { loadLock.unlock() }
        if let storage { return unsafe storage.tables }
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let fresh = try SegmentLoader(file: file, scratch: scratch).tables(for: metadata, environment.budget)
        storage = fresh
        environment.budget.charge(fresh.bytes, for: .tables)
        // Releasing: whoever sees the pointer sees the tables.
        unsafe loaded.store(fresh.tables, ordering: .releasing)
        return unsafe fresh.tables
    }
}
