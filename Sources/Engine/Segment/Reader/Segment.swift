package import ShaleBase
package import ShalePlatform
package import ShaleValues
import Synchronization

/// An immutable sorted file, open for reading.
///
/// The initializer opens nothing. File, index and filter are loaded and verified on first use and stay until the object
/// is released; the file handle may be closed and reopened meanwhile. Thread-safe.
///
/// **Lifetime.** Lookups return memory that is borrowed under the caller's epoch pin. The last reference is therefore
/// released through the epoch domain, or when no thread reads. The deinit removes the segment's blocks from the cache.
@safe
package final class Segment: @unchecked Sendable {
    package let metadata: SegmentMetadata
    private let smallest: OwnedBytes
    private let largest: OwnedBytes
    let environment: SegmentEnvironment
    let file: SegmentFile
    /// The value files that entries refer to, held so that they are not deleted before this object is released.
    private let values: [ValueFile]
    /// A copy of the reference, so that a hit needs no access to the environment.
    let hints: ReaderHints
    /// The environment's domain.
    let domain: BorrowedDomain

    /// Set once, when loaded; `storage` owns the memory.
    private let loaded: Atomic<UnsafeMutablePointer<SegmentTables>?> = unsafe Atomic(nil)
    private let loadLock = Lock()
    /// Guarded by `loadLock` until set, constant afterwards.
    private var storage: SegmentTableStorage?

    package init(metadata: SegmentMetadata, directory: any Directory, environment: SegmentEnvironment) {
        self.metadata = metadata
        smallest = OwnedBytes(metadata.smallestKey)
        largest = OwnedBytes(metadata.largestKey)
        self.environment = environment
        hints = environment.cache.hints
        domain = BorrowedDomain(environment.domain)
        file = SegmentFile(number: metadata.number, directory: directory, files: environment.files)
        let source = ValueSource(environment.values, in: directory)
        values = metadata.values.map { source.file($0.file) }
        environment.budget.charge(metadata.memoryBytes, for: .tables)
    }

    deinit {
        environment.budget.release(metadata.memoryBytes, for: .tables)
        guard let storage else { return }
        let slots = unsafe storage.tables.pointee.slots
        unsafe environment.cache.removeAll(in: slots, count: storage.index.count)
        environment.budget.release(storage.bytes, for: .tables)
    }

    /// The raw filter, once the segment is open. Valid as long as this object lives.
    var rawFilter: Bytes? { loadLock.withLock { storage?.filter?.bytes } }

    /// The dictionaries and value codes; `nil` if the segment is not open.
    var coders: SegmentCoders? { loadLock.withLock { storage?.coders } }

    /// Returns the segment's compression record. Costs two small reads unless the segment is open.
    ///
    /// Does not load the index: a tool that inspects all segments of a store would keep every index in memory.
    package func compression() throws(StorageError) -> CompressionRecord? {
        if let storage = loadLock.withLock({ storage }) { return storage.compression }
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        let loader = SegmentLoader(file: file, scratch: scratch)
        return try loader.properties(try loader.footer(size: metadata.fileBytes)).compression
    }

    /// The value files beside the segment.
    package var valueSource: ValueSource { ValueSource(environment.values, in: file.directory) }

    /// The first and the last encoded key. Valid as long as this object lives.
    package var smallestKey: Bytes { smallest.bytes }
    package var largestKey: Bytes { largest.bytes }
    package var number: UInt64 { metadata.number }

    /// Reads the metadata that the writer returned from the file itself, for tools and repair.
    package static func metadata(
        number: UInt64, directory: any Directory, environment: SegmentEnvironment
    ) throws(StorageError) -> SegmentMetadata {
        let file = SegmentFile(number: number, directory: directory, files: environment.files)
        let scratch = environment.scratch.take()
        defer { environment.scratch.put(scratch) }
        return try SegmentLoader(file: file, scratch: scratch).metadata()
    }

    /// Returns the file's size. Leaves the file open, subject to the limit of open files.
    package func fileSize() throws(StorageError) -> UInt64 { try file.sizeOnDisk() }

    /// Loads and verifies index and filter if they are not loaded.
    package func open() throws(StorageError) { _ = unsafe try tables() }

    /// Returns the tables, which live as long as this object.
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
        // Releasing: a thread that sees the pointer sees the tables.
        unsafe loaded.store(fresh.tables, ordering: .releasing)
        return unsafe fresh.tables
    }
}

/// The resources that all segments of a store share: cache, open files, memory budget, epoch domain. Thread-safe.
package final class SegmentEnvironment: Sendable {
    package let budget: MemoryBudget
    package let cache: BlockCache
    package let files: OpenFiles
    package let domain: EpochDomain
    package let values: ValueFiles
    let scratch = ReadScratchPool()

    package init(
        budget: MemoryBudget, openFileLimit: Int, domain: EpochDomain = .shared, isBesideOwner: Bool = false,
        mapsFiles: Bool = false, time: any TimeSource = SystemTime()
    ) {
        self.budget = budget
        self.domain = domain
        cache = BlockCache(budget: budget, domain: domain)
        let files = OpenFiles(limit: openFileLimit, isBesideOwner: isBesideOwner, mapsFiles: mapsFiles, time: time)
        self.files = files
        values = ValueFiles(files: files)
    }

    package convenience init(
        memoryBudget: Int, openFileLimit: Int, domain: EpochDomain = .shared, bufferFloorBytes: Int = 0,
        isBesideOwner: Bool = false, mapsFiles: Bool = false, time: any TimeSource = SystemTime()
    ) {
        self.init(
            budget: MemoryBudget(limitBytes: memoryBudget, bufferFloorBytes: bufferFloorBytes),
            openFileLimit: openFileLimit, domain: domain, isBesideOwner: isBesideOwner, mapsFiles: mapsFiles, time: time
        )
    }
}
