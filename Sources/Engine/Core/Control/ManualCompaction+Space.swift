import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleSegment

/// Manual compactions with a bound on extra disk space: see `CompactionPicker.steps(of:bytesMax:size:)`.
extension ManualCompaction {
    /// Merges like `mergeDown`, in steps of at most `bytesMax` each.
    func mergeDown(within bytesMax: UInt64) throws(StorageError) {
        let isWanted = { [scope] in scope.overlaps($0) }
        // Segments that are flushed meanwhile stay in L0.
        while try perform({ [self] (picker) throws(StorageError) in
            let l0 = picker.version.levels[0].segments
            guard let oldest = l0.last, oldest.number < firstNumber, l0.contains(where: isWanted) else { return nil }
            guard let steps = try picker.l0Steps(bytesMax: bytesMax, size: outputBytes) else { throw refusal(picker) }
            return steps
        }) {}
        for level in 1..<(FormatLimits.levels - 1) {
            while try perform({ [self] (picker) throws(StorageError) in
                let group = picker.leadingGroup(of: level, bytesMax: bytesMax, where: isWanted)
                // As many segments as fit, but at least one.
                for members in [group, Array(group.prefix(1))] where !members.isEmpty {
                    guard let job = picker.mergeJob(level: level, members, into: level + 1) else { continue }
                    if let steps = try picker.steps(of: job, bytesMax: bytesMax, size: outputBytes) { return steps }
                }
                if !group.isEmpty { throw refusal(picker) }
                return nil
            }) {}
        }
    }

    /// Throws if the store's shape does not allow the requested bound, before anything is written.
    func checkSpace() throws(StorageError) {
        guard let bytesMax = request.extraDiskBytesMax else { return }
        let picker = picker()
        if try spaceNeeded(picker) > bytesMax { throw refusal(picker) }
    }

    /// Returns the number of segments that may be rewritten at the same time.
    func rewriteThreads() throws(StorageError) -> Int {
        guard let bytesMax = request.extraDiskBytesMax else { return options.threads }
        var largest: UInt64 = 1
        for segment in picker().version.levels.flatMap(\.segments) { largest = max(largest, try outputBytes(segment)) }
        return max(1, min(options.threads, Int(clamping: bytesMax / largest)))
    }

    private func refusal(_ picker: CompactionPicker) -> StorageError {
        do throws(StorageError) {
            return .invalid(
                "the compaction needs more disk space than allowed bytes=\(try spaceNeeded(picker)) "
                    + "allowed=\(request.extraDiskBytesMax ?? 0)")
        } catch {
            return error
        }
    }

    /// Returns the extra space that a compaction may need: the largest segment that moves down, plus the largest
    /// segment that a step replaces.
    ///
    /// The moving segment stays until the last step of its job. Segments that the compaction itself will create are
    /// included. Never more than all segments together.
    private func spaceNeeded(_ picker: CompactionPicker) throws(StorageError) -> UInt64 {
        let last = picker.targets.lastLevel
        var (total, upper, lower): (UInt64, UInt64, UInt64) = (0, 0, 0)
        for level in picker.version.levels {
            for segment in level.segments {
                let bytes = try outputBytes(segment)
                total += bytes
                if level.level < last { upper = max(upper, bytes) }
                if level.level > 0 { lower = max(lower, bytes) }
            }
        }
        if upper == 0 { return try largestRewritten(picker) }
        if picker.targets.baseLevel < last { upper = max(upper, roomFor(options.upperSegmentBytes)) }
        return min(total, upper + max(lower, roomFor(options.lastSegmentBytes)))
    }

    private func largestRewritten(_ picker: CompactionPicker) throws(StorageError) -> UInt64 {
        var largest: UInt64 = 0
        for segment in picker.version.levels[picker.targets.lastLevel].segments where scope.overlaps(segment) {
            guard try core.needsRewrite(segment, picker, request, samples: false) else { continue }
            largest = max(largest, try outputBytes(segment))
        }
        return largest
    }

    /// Returns the most space that a segment's entries take when they are rewritten. That is the present size, unless
    /// the new compression has less effort; filters and block boundaries differ a little.
    private func outputBytes(_ segment: Segment) throws(StorageError) -> UInt64 {
        let metadata = segment.metadata
        if try !mayGrow(segment) { return roomFor(metadata.fileBytes) }
        return roomFor(max(metadata.fileBytes, metadata.dataBytes + 32 * metadata.entryCount))
    }

    private func roomFor(_ bytes: UInt64) -> UInt64 { bytes + bytes / 16 + (64 << 10) }

    private func mayGrow(_ segment: Segment) throws(StorageError) -> Bool {
        let effort = { (codec: BlockCodec) -> Int32 in
            switch codec {
            case .none: .min
            case .lz4: -100
            case .zstd(let level): level
            }
        }
        // A segment above the last level may be rewritten into a level in between, with less effort than a flush into
        // an otherwise empty store.
        let last = core.viewCell.retained().version.levels[FormatLimits.levels - 1].segments
        let isAbove = !last.contains { $0 === segment }
        let requested = isAbove ? min(effort(options.upperCodec), effort(options.lastCodec)) : effort(options.lastCodec)
        guard let now = try segment.compression()?.codec else { return requested == .min }
        return requested < effort(now)
    }
}
