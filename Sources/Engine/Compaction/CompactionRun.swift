package import ShaleBase
import ShaleManifest
package import ShalePlatform
package import ShaleSegment

/// Executes a merge or rewrite job, or a range of its keys: reads the inputs once, in order, and writes new segments.
///
/// The metadata of each block is checked before the block is read. A block that no other input overlaps is skipped if
/// all of its entries are dead, and copied as stored if all of them stay. All other blocks are decoded. All outputs are
/// synced when `run` returns; their names are not.
///
/// A struct, because every entry passes through it: each access to properties of a class would check exclusivity.
package struct CompactionRun: ~Copyable {
    let job: CompactionJob
    let horizon: Horizon
    let options: CompactionOptions
    let directory: any Directory
    private let lower: OwnedBytes?
    /// The first key after the range. The cursors borrow it.
    let upper: OwnedBytes?
    private let choice: DictionaryPlan.Choice
    private let allocateNumber: () -> UInt64
    /// Called after about every MiB of input with the bytes read so far. Throws to cancel.
    private let progress: (UInt64) throws(StorageError) -> Void

    let sources: [CompactionSource]
    let cursors: [EntryCursor]
    let merge: MergingCursor
    /// Sources that are positioned before an unread block.
    var paused: [PausedInput] = []
    var writer: RetentionWriter
    var outputs: [SegmentMetadata] = []
    private var grandparentIndex = 0
    private var reportedBytes: UInt64 = 0
    /// The memory of the output under construction. The cursors of the inputs charge their own.
    private var charge: BufferCharge
    package internal(set) var statistics = CompactionStatistics()

    /// Creates a run. `bounds` lie inside the job's bounds.
    package init(
        _ job: CompactionJob, _ bounds: KeyBounds, horizon: Horizon, options: CompactionOptions,
        directory: any Directory, choice: DictionaryPlan.Choice,
        allocateNumber: @escaping () -> UInt64, progress: @escaping (UInt64) throws(StorageError) -> Void
    ) {
        self.job = job
        lower = bounds.lower.map { OwnedBytes($0) }
        upper = bounds.upper.map { OwnedBytes($0) }
        self.choice = choice
        self.horizon = horizon
        self.options = options
        self.directory = directory
        self.allocateNumber = allocateNumber
        self.progress = progress
        charge = BufferCharge(options.budget)
        let headOffset = CompactionRun.sharedPrefixCount(job.segments)
        sources = job.inputs.flatMap { input in
            // L0 segments overlap; those of each other level form one sorted run.
            let segments = input.segments.filter { bounds.overlaps($0) }
            return (input.level == 0 ? segments.map { [$0] } : [segments]).map { CompactionSource($0) }
        }
        cursors = sources.map { EntryCursor($0, headOffset: headOffset) }
        merge = MergingCursor(cursors)
        writer = RetentionWriter(
            Retention(horizon, normalises: job.isLast),
            OutputWriter(
                directory: directory, options: options.writerOptions(level: job.outputLevel, isLast: job.isLast),
                values: job.valuePlan, allocateNumber: allocateNumber))
    }

    private static func sharedPrefixCount(_ segments: [Segment]) -> Int {
        guard let lower = segments.map(\.smallestKey).min(by: <), let upper = segments.map(\.largestKey).max(by: <)
        else { return 0 }
        return lower.sharedPrefixCount(with: upper)
    }

    package mutating func run(createdMilliseconds: Int64) throws(StorageError) -> [SegmentMetadata] {
        do {
            try start()
            while try settlePaused() {
                try step(createdMilliseconds)
            }
            try endOutput(createdMilliseconds)
            return outputs
        } catch {
            writer.output.abandon()
            CompactionRun.discard(outputs, in: directory)
            throw error
        }
    }

    /// Removes finished outputs after an error, which the caller reports. If a removal fails, the file only takes space
    /// until the next open.
    package static func discard(_ outputs: [SegmentMetadata], in directory: any Directory) {
        for name in outputs.flatMap(\.fileNames) {
            do { try directory.remove(name) } catch { continue }
        }
    }

    private mutating func start() throws(StorageError) {
        for (index, cursor) in cursors.enumerated() {
            cursor.setBounds(headOffset: cursor.headOffset, limit: upper?.bytes)
            try cursor.seek(lower?.bytes, .forward)
            // Positioned inside a block, at the beginning of the range.
            if cursor.runCount > 0 { merge.join(index) } else { try pauseIfNeeded(index) }
        }
        // A rewrite's entries all come from one segment. Its filter serves the output, so copied blocks need no
        // decoding.
        if job.kind == .rewrite, let source = job.segments.first {
            writer.output.adoptsFilter = source
        }
        writer.output.options.dictionaries = choice.dictionaries
        writer.output.options.valueCodes = choice.codes
        writer.output.options.splitNamespaces = choice.split
        writer.output.options.soughtDictionaries =
            DictionaryPlan(job: job, horizon: horizon, options: options).isSought
    }

    /// Processes the smallest entry of all inputs.
    @inline(__always)
    private mutating func step(_ createdMilliseconds: Int64) throws(StorageError) {
        let entry = merge.current
        if !writer.continuesKey(entry), shouldCut(before: entry.key) { try endOutput(createdMilliseconds) }
        try writer.add(entry, older: job.older)
        statistics.readEntries &+= 1
        try merge.next()
        if let index = merge.takeEmptied() { try pauseIfNeeded(index) }
    }

    mutating func pauseIfNeeded(_ index: Int) throws(StorageError) {
        let source = sources[index]
        guard source.isPaused, let block = try source.pendingBlock() else { return }
        let input = PausedInput(index: index, block: block)
        if let upper, input.beginsAt(orAbove: upper.bytes) { return }
        statistics.readBytes &+= UInt64(block.row.handle.totalBytes)
        paused.append(input)
        if statistics.readBytes - reportedBytes >= 1 << 20 {
            reportedBytes = statistics.readBytes
            charge.set(writer.output.memoryBytes)
            try progress(statistics.readBytes)
        }
    }

    // MARK: Outputs

    /// True if the output should end before `key`.
    ///
    /// An output ends at its target size. From half of that on it ends where a segment of the level below ends, so that
    /// its next compaction overlaps few segments.
    mutating func shouldCut(before key: Bytes) -> Bool {
        guard job.kind != .rewrite, !writer.output.isEmpty else { return false }
        let size = writer.output.fileBytes
        let target = options.segmentBytes(isLast: job.isLast)
        var crossed = false
        while grandparentIndex < job.grandparents.count, job.grandparents[grandparentIndex].largestKey < key {
            grandparentIndex += 1
            crossed = true
        }
        return size >= target || (crossed && size >= target / 2)
    }

    mutating func endOutput(_ createdMilliseconds: Int64) throws(StorageError) {
        if let metadata = try writer.output.finish(createdMilliseconds: createdMilliseconds) {
            outputs.append(metadata)
            statistics.writtenBytes &+= metadata.writtenBytes
        }
        statistics.retention = writer.retention.counts
    }
}

/// The totals of a job.
package struct CompactionStatistics: Sendable {
    package var readBytes: UInt64 = 0
    package var writtenBytes: UInt64 = 0
    package var readEntries: UInt64 = 0
    /// The number of blocks copied as stored, and of blocks skipped without being read.
    package var copiedBlocks: UInt64 = 0
    package var skippedBlocks: UInt64 = 0
    package var skippedEntries: UInt64 = 0
    package var retention = RetentionCounts()

    package init() {}

    package mutating func add(_ other: CompactionStatistics) {
        readBytes &+= other.readBytes
        writtenBytes &+= other.writtenBytes
        readEntries &+= other.readEntries
        copiedBlocks &+= other.copiedBlocks
        skippedBlocks &+= other.skippedBlocks
        skippedEntries &+= other.skippedEntries
        retention.shadowed &+= other.retention.shadowed
        retention.erased &+= other.retention.erased
        retention.tombstones &+= other.retention.tombstones
    }
}
