import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Writes one memtable, or a range of its keys, as a segment of L0.
struct FlushJob {
    let memtable: Memtable
    /// The first key, and the first key after the range; nil for an open end. The memtable owns the bytes.
    var lower: Bytes?
    var upper: Bytes?
    let number: UInt64
    let segments: any Directory
    let options: CompactionOptions
    let horizon: Horizon
    /// All segments. Their versions of the memtable's keys are older.
    let older: OlderSegments
    /// True if the segment is likely to stay in L0.
    let isLast: Bool
    let createdMilliseconds: Int64

    /// The size of output, block and compressor. The hashes for the filter add 16 bytes a key.
    private static let bufferBytes = 2 << 20

    /// Writes the segment and syncs its content, but not its name.
    ///
    /// - Parameter failing: Receives the number of stored bytes that were written before a failure.
    /// - Returns: nil if retention kept nothing.
    func run(failing: (UInt64) -> Void = { _ in }) throws(StorageError) -> SegmentMetadata? {
        let cursor = memtable.makeCursor(headOffset: 0)
        cursor.setBounds(headOffset: 0, limit: upper)
        try cursor.seek(lower, .forward)
        var charge = BufferCharge(options.budget)
        charge.set(FlushJob.bufferBytes + 16 * memtable.entryCount)
        defer { charge.set(0) }
        var writer = RetentionWriter(
            Retention(horizon, normalises: false),
            OutputWriter(
                directory: segments, options: options.writerOptions(level: 0, isLast: isLast),
                allocateNumber: { [number] in number }))
        do {
            while cursor.runCount > 0 {
                for i in 0..<cursor.runCount { try writer.add(unsafe cursor.run[i], older: older) }
                try cursor.fill()
            }
            return try writer.output.finish(createdMilliseconds: createdMilliseconds)
        } catch {
            failing(writer.output.fileBytes)
            writer.output.abandon()
            throw error
        }
    }
}
