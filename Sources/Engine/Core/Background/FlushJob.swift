import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Writes one memtable, or a range of its keys, as a segment of L0.
struct FlushJob {
    let memtable: Memtable
    /// The first key, and the first behind the range; nil: as far as there are keys. Lent by the memtable.
    var lower: Bytes?
    var upper: Bytes?
    let number: UInt64
    let segments: any Directory
    let options: CompactionOptions
    let horizon: Horizon
    /// All segments: whatever they hold of the memtable's keys is older.
    let older: OlderSegments
    /// Whether the segment is going to stay for a while.
    let isLast: Bool
    let createdMilliseconds: Int64

    /// Output, block and compressor; the hashes for the filter, sixteen bytes a key, come on top.
    private static let bufferBytes = 2 << 20

    /// nil when retention kept nothing. The segment's content is synced, its name is not. `failing` gets the stored bytes
    /// that were written before a failure.
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
