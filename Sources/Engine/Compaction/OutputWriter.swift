package import ShaleBase
package import ShalePlatform
package import ShaleSegment

/// One output segment. Its file is created with the first entry, so that work that keeps nothing leaves no file.
@safe
package struct OutputWriter: ~Copyable {
    private let directory: any Directory
    /// May change only before anything is added.
    package var options: SegmentWriterOptions
    private let allocateNumber: () -> UInt64
    private var writer: SegmentWriter?
    /// The same writer, unretained, for calls that count no references.
    private var unretained: Unmanaged<SegmentWriter>?
    /// The only segment that all entries come from, or nil. Its filter serves the output.
    package var adoptsFilter: Segment?
    private var values: ValueOutput

    package init(
        directory: any Directory, options: SegmentWriterOptions, values: ValuePlan = ValuePlan(),
        allocateNumber: @escaping () -> UInt64
    ) {
        self.directory = directory
        self.options = options
        self.allocateNumber = allocateNumber
        self.values = ValueOutput(values)
        unsafe unretained = nil
    }

    package var isEmpty: Bool { writer == nil }
    /// The memory of the segment under construction.
    var memoryBytes: Int { writer?.memoryBytes ?? 0 }
    /// The stored bytes of finished blocks, by which outputs are cut.
    package private(set) var fileBytes: UInt64 = 0

    @inline(__always)
    package mutating func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) throws(StorageError) {
        if trailer.kind.isReference { return try addReference(key, trailer, expiry, value) }
        let isAdded = unsafe unretained?._withUnsafeGuaranteedRef {
            $0.addToBlock(key, trailer: trailer, expiry: expiry, value: value)
        }
        if isAdded != true { try addToNextBlock(key, trailer, expiry, value) }
    }

    @inline(never)
    private mutating func addReference(
        _ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes
    ) throws(StorageError) {
        let number = try open().number
        let reference = try values.pass(value, to: directory, number: number)
        try addToNextBlock(key, trailer, expiry, reference)
    }

    @inline(never)
    private mutating func addToNextBlock(
        _ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes
    ) throws(StorageError) {
        let writer = try open()
        try writer.add(key, trailer: trailer, expiry: expiry, value: value)
        fileBytes = writer.writtenBytes
    }

    /// Copies a block as it is stored: see ``SegmentWriter/addStoredBlock(from:index:)``.
    package mutating func addStoredBlock(from segment: Segment, index: Int) throws(StorageError) {
        let writer = try open()
        try writer.addStoredBlock(from: segment, index: index)
        fileBytes = writer.writtenBytes
    }

    private mutating func open() throws(StorageError) -> SegmentWriter {
        if let writer { return writer }
        let fresh = try SegmentWriter(directory: directory, number: allocateNumber(), options: options)
        writer = fresh
        unsafe unretained = .passUnretained(fresh)
        if let adoptsFilter { _ = try fresh.adoptFilter(of: adoptsFilter) }
        return fresh
    }

    /// Finishes and syncs the file; returns nil if nothing was added.
    package mutating func finish(createdMilliseconds: Int64) throws(StorageError) -> SegmentMetadata? {
        guard let writer else { return nil }
        writer.values = try values.finish()
        let metadata = try writer.finish(createdMilliseconds: createdMilliseconds)
        forget()
        return metadata
    }

    /// Removes the file after an error, which the caller reports. If the removal fails, the file is an orphan that the
    /// next open removes.
    package mutating func abandon() {
        writer?.abandon()
        values.abandon(in: directory)
        forget()
    }

    private mutating func forget() {
        unsafe unretained = nil
        writer = nil
        values.forget()
        fileBytes = 0
    }
}
