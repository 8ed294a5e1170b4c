import ShaleManifest
import ShaleSegment

/// Collection of value files. DESIGN.md, "Collection".
extension CompactionPicker {
    /// Returns a job that compacts L0 although it has few segments, if so many values in value files may be overwritten
    /// that their files exceed `valueSpaceBound`.
    ///
    /// A flush of large values writes a small segment, so L0 alone becomes due late. Until it is compacted, the values
    /// that its entries overwrite count as used. Each value in L0 overwrites at most one other. The job must not
    /// rewrite more than it may free.
    func hiddenValuesJob() -> CompactionJob? {
        guard !version.valueUses.isEmpty else { return nil }
        let l0 = version.levels[0].segments.map(\.metadata.usedValueBytes)
        let inL0 = l0.reduce(0, +)
        let usedBytes = version.valueUses.values.reduce(0) { $0 + $1.usedBytes }
        // Nothing below: the values of one segment are all different.
        let hidden = usedBytes > inL0 ? inL0 : inL0 - (l0.max() ?? 0)
        guard hidden > options.erasedBytesMin,
            Double(usedBytes) > options.valueSpaceBound * Double(usedBytes - min(hidden, usedBytes)),
            let job = l0Job(), job.inputBytes <= hidden
        else { return nil }
        return job
    }

    /// Returns a job that copies the values of one segment out of sparse files; `nil` if value files take at most
    /// `valueSpaceBound` times what is used of them, or little more.
    func collectionJob() -> CompactionJob? {
        guard !version.valueUses.isEmpty else { return nil }
        let fileBytes = version.valueUses.values.reduce(0) { $0 + $1.fileBytes }
        let usedBytes = version.valueUses.values.reduce(0) { $0 + $1.usedBytes }
        guard fileBytes >= usedBytes + options.erasedBytesMin,
            Double(fileBytes) > options.valueSpaceBound * Double(usedBytes)
        else { return nil }
        let sparse = version.valueUses.values
            .filter { Double($0.fileBytes) > options.valueSpaceBound * Double($0.usedBytes) }
            .sorted { ($0.garbageShare, $0.file) > ($1.garbageShare, $1.file) }
        let numbers = Set(sparse.map(\.file))
        for use in sparse {
            for level in version.levels {
                for segment in level.segments where !busy.contains(segment.number) && segment.metadata.uses(use.file) {
                    var job = rewriteJob(segment, level: level.level)
                    job.collected = numbers
                    return job
                }
            }
        }
        return nil
    }
}

extension ValueUse {
    /// The share of the file that nothing refers to.
    fileprivate var garbageShare: Double {
        1 - Double(min(usedBytes, fileBytes)) / Double(max(1, fileBytes))
    }
}

extension SegmentMetadata {
    fileprivate func uses(_ file: UInt64) -> Bool { values.contains { $0.file == file } }

    /// The bytes in value files to which the segment refers.
    fileprivate var usedValueBytes: UInt64 { values.reduce(0) { $0 + $1.usedBytes } }
}

extension CompactionJob {
    /// The files to which the inputs refer, and those to copy from.
    var valuePlan: ValuePlan {
        var plan = ValuePlan(copied: collected)
        for segment in segments {
            for use in segment.metadata.values { plan.sizes[use.file] = use.fileBytes }
            plan.source = plan.source ?? segment.valueSource
        }
        return plan
    }
}
