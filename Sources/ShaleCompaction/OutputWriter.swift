package import ShaleBase
package import ShalePlatform
package import ShaleSegment

/// One output segment, made when its first entry comes: work that keeps nothing leaves no file.
package struct OutputWriter: ~Copyable {
    private let directory: any Directory
    private let options: SegmentWriterOptions
    private let allocateNumber: () -> UInt64
    private var writer: SegmentWriter?
    /// The one segment that all entries come from, if they do: its filter serves the output.
    package var adoptsFilter: Segment?

    package init(directory: any Directory, options: SegmentWriterOptions, allocateNumber: @escaping () -> UInt64) {
        self.directory = directory
        self.options = options
        self.allocateNumber = allocateNumber
    }

    package var isEmpty: Bool { writer == nil }
    /// Stored bytes of finished blocks: what outputs are cut by.
    package var fileBytes: UInt64 { writer?.writtenBytes ?? 0 }

    @inline(__always)
    package mutating func add(_ key: Bytes, _ trailer: Trailer, _ expiry: Int64, _ value: Bytes) throws(StorageError) {
        if let writer {
            try writer.add(key, trailer: trailer, expiry: expiry, value: value)
        } else {
            try open().add(key, trailer: trailer, expiry: expiry, value: value)
        }
    }

    @inline(never)
    package mutating func open() throws(StorageError) -> SegmentWriter {
        if let writer { return writer }
        let fresh = try SegmentWriter(directory: directory, number: allocateNumber(), options: options)
        writer = fresh
        if let adoptsFilter { _ = try fresh.adoptFilter(of: adoptsFilter) }
        return fresh
    }

    /// Syncs the file and ends it; nil when nothing was added.
    package mutating func finish(createdMilliseconds: Int64) throws(StorageError) -> SegmentMetadata? {
        guard let writer else { return nil }
        let metadata = try writer.finish(createdMilliseconds: createdMilliseconds)
        self.writer = nil
        return metadata
    }

    /// Gives the file up after an error, which is the one to report: a file that can't be removed now is an orphan, and
    /// the next open removes it.
    package mutating func abandon() {
        writer?.abandon()
        writer = nil
    }
}
