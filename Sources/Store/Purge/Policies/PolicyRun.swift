import ShaleBase
import ShaleEngine
import ShalePlatform

/// One application of a policy to one namespace. Memory O(1).
///
/// It reads all entries at most twice and removes the selected ones in small transactions. An entry that was written or
/// used meanwhile stays.
struct PolicyRun {
    /// The size of a transaction in bytes of keys.
    private static let stepBytes = 64 << 10
    /// The number of entries between two calls of `progress`.
    private static let stepEntries = 256
    /// The approximate memory of a run: a histogram, the keys of a transaction and the blocks it has read.
    private static let workBytes = 512 << 10
    /// The size of the prefix that the engine puts before a key and counts in its statistics.
    private static let keyPrefixBytes = 4

    struct Outcome {
        var entries: UInt64 = 0
        var bytes: Int64 = 0
        /// A lower bound on the times of the entries that stay and of those that the run does not see.
        var oldest = Int64.max
        /// The bytes of the purgeable entries that stay, known to ``makeRoom(_:)``.
        var keptBytes: Int64 = 0
        var damage = PurgeDamage()
    }

    private struct Candidate {
        let key: [UInt8]
        let time: Int64
    }

    let core: StoreCore
    let id: NamespaceID
    let stored: StoredPolicy
    let isDry: Bool
    /// Called every `stepEntries` entries with the share of the work that is done. May throw to cancel.
    let progress: (Double) throws(StorageError) -> Void

    /// The order that entries are removed in.
    var order: PurgePolicy.Order

    init(
        core: StoreCore, id: NamespaceID, stored: StoredPolicy, isDry: Bool,
        progress: @escaping (Double) throws(StorageError) -> Void
    ) {
        self.core = core
        self.id = id
        self.stored = stored
        self.isDry = isDry
        self.progress = progress
        order = stored.policy.order
    }

    private var policy: PurgePolicy { stored.policy }

    /// Runs the policy. Returns `nil` if the statistics show that nothing can be due; then no entry is read.
    func run() throws(StorageError) -> Outcome? {
        let statistics = try core.engine.statistics(of: id)
        guard statistics.purgeable > 0 else { return nil }
        let tooOld = ageLimit
        // The statistics count 28 bytes for a value in a value file, so they are completed by what all of those take.
        let bytesMax = Int64(clamping: statistics.purgeableRawBytes + (try core.engine.valueFileBytesMax))
        let isFull = policy.maximumBytes.map { bytesMax > $0 } ?? false
        let mayHaveOldEntries = core.oldestKnown(of: id).map { $0 <= tooOld } ?? (policy.maximumAge != nil)
        guard isFull || mayHaveOldEntries else { return nil }
        // An entry that the snapshot lacks is not older than this, except by the duration of its commit.
        let start = core.engine.trustedMilliseconds
        // Both passes read the same snapshot.
        let moment = core.engine.snapshot()
        let memory = core.engine.reserveMemory(PolicyRun.workBytes)
        defer { withExtendedLifetime(memory) {} }
        let total = Double(max(1, statistics.entries)) * (isFull ? 2 : 1)
        var cut = TimeHistogram.Cut()
        var done = 0
        func step() throws(StorageError) {
            done += 1
            if done % PolicyRun.stepEntries == 0 { try progress(min(1, Double(done) / total)) }
        }
        if isFull, let maximum = policy.maximumBytes {
            let (histogram, _) = try histogram(at: moment, olderThan: tooOld, step)
            if histogram.totalBytes > maximum {
                cut = histogram.cut(removing: histogram.totalBytes - Int64(Double(maximum) * policy.trimTo))
            }
        }
        var outcome = try remove(through: max(tooOld, cut.through), cut, at: moment, step)
        outcome.oldest = min(outcome.oldest, start)
        return outcome
    }

    /// Removes entries if they leave no room for what is pending, and those that are too old. The result has the bytes
    /// of those that stay.
    func makeRoom(_ request: CapacityMeasurement) throws(StorageError) -> Outcome {
        let tooOld = ageLimit
        let moment = core.engine.snapshot()
        let memory = core.engine.reserveMemory(PolicyRun.workBytes)
        defer { withExtendedLifetime(memory) {} }
        let (histogram, oldBytes) = try histogram(at: moment, olderThan: tooOld) {}
        let found = histogram.totalBytes + oldBytes
        var outcome = Outcome()
        if found + request.pendingBytes > request.limits.removalBytes {
            let excess = histogram.totalBytes - request.targetBytes
            let cut = excess > 0 ? histogram.cut(removing: excess) : TimeHistogram.Cut()
            outcome = try remove(through: max(tooOld, cut.through), cut, at: moment) {}
        }
        outcome.keptBytes = found - outcome.bytes
        return outcome
    }

    /// Returns the bytes of the purgeable entries by time, and those of entries up to `limit`.
    private func histogram(
        at moment: Engine.Snapshot, olderThan limit: Int64, _ step: () throws(StorageError) -> Void
    ) throws(StorageError) -> (TimeHistogram, oldBytes: Int64) {
        var histogram = TimeHistogram()
        var oldBytes: Int64 = 0
        try forEach(at: moment) { (_, time, bytes) throws(StorageError) in
            if time > limit { histogram.add(time, bytes: bytes) } else { oldBytes += bytes }
            try step()
        } onDamage: { _ in
        }
        return (histogram, oldBytes)
    }

    private var ageLimit: Int64 {
        guard let age = policy.maximumAge else { return .min }
        let (limit, isBeyond) = core.engine.trustedMilliseconds.subtractingReportingOverflow(age.wholeMilliseconds)
        return isBeyond ? .min : limit
    }

    private func remove(
        through limit: Int64, _ cut: TimeHistogram.Cut, at moment: Engine.Snapshot,
        _ step: () throws(StorageError) -> Void
    ) throws(StorageError) -> Outcome {
        var outcome = Outcome()
        var boundaryBytes = cut.boundaryBytes
        var candidates: [Candidate] = []
        var candidateBytes = 0
        try forEach(at: moment) { (key, time, bytes) throws(StorageError) in
            if time > limit, time <= cut.boundary, boundaryBytes > 0 {
                boundaryBytes -= bytes
            } else if time > limit {
                outcome.oldest = min(outcome.oldest, time)
                return try step()
            }
            if isDry {
                outcome.entries += 1
                outcome.bytes += bytes
            } else {
                candidates.append(Candidate(key: [UInt8](copying: key), time: time))
                candidateBytes += key.byteCount + 16
                if candidateBytes >= PolicyRun.stepBytes {
                    try remove(candidates[...], &outcome)
                    candidates.removeAll(keepingCapacity: true)
                    candidateBytes = 0
                }
            }
            try step()
        } onDamage: {
            outcome.damage.note($0)
        }
        try remove(candidates[...], &outcome)
        return outcome
    }

    /// Removes those candidates that are unchanged. If concurrent writers of some of them cause a conflict, smaller
    /// transactions conflict with fewer of them.
    private func remove(_ candidates: ArraySlice<Candidate>, _ outcome: inout Outcome) throws(StorageError) {
        guard !candidates.isEmpty else { return }
        do throws(StorageError) {
            try removeTogether(candidates, attempts: candidates.count == 1 ? .max : 4, &outcome)
        } catch {
            guard error.code == .conflict else { throw error }
            let middle = candidates.startIndex + candidates.count / 2
            try remove(candidates[..<middle], &outcome)
            try remove(candidates[middle...], &outcome)
        }
    }

    private func removeTogether(
        _ candidates: ArraySlice<Candidate>, attempts: Int, _ outcome: inout Outcome
    ) throws(StorageError) {
        core.noteSingleRemovals(from: id)
        let (entries, bytes) = try core.engine.transaction(attempts: attempts) {
            (transaction) throws(StorageError) -> (UInt64, Int64) in
            var entries: UInt64 = 0
            var bytes: Int64 = 0
            for candidate in candidates {
                guard let byteCount = try currentByteCount(candidate, transaction) else { continue }
                try transaction.delete(candidate.key, in: id)
                entries += 1
                bytes += PolicyRun.bytes(candidate.key.count, byteCount)
            }
            return (entries, bytes)
        }
        outcome.entries += entries
        outcome.bytes += bytes
    }

    // MARK: Entries

    /// Calls `body` for each purgeable entry. A value whose header can't be read has no time: the entry stays, and
    /// `onDamage` receives the error.
    private func forEach(
        at moment: Engine.Snapshot,
        _ body: (_ key: RawSpan, _ time: Int64, _ bytes: Int64) throws(StorageError) -> Void,
        onDamage: (StorageError) -> Void
    ) throws(StorageError) {
        // Sizes and times need no whole values.
        var cursor = try core.engine.cursor(over: .all, in: id, at: moment, readsValues: false)
        while try cursor.next() {
            let info = cursor.info
            guard info.isPurgeable else { continue }
            let key = cursor.key
            let time: Int64
            do throws(StorageError) {
                time = try cursor.withParts { (entry) throws(StorageError) in try self.time(key, entry) }
            } catch {
                onDamage(error)
                continue
            }
            try body(key, time, PolicyRun.bytes(key.byteCount, info.valueByteCount))
        }
    }

    /// Returns the size of the candidate's value if it still has the candidate's time and is purgeable. A value that
    /// was damaged meanwhile has no time.
    private func currentByteCount(
        _ candidate: Candidate, _ transaction: Engine.Transaction
    ) throws(StorageError) -> Int? {
        guard case .stored = try unsafe transaction.read(candidate.key.span.bytes, in: id) else { return nil }
        return try unsafe core.engine.withParts(
            forKey: candidate.key.span.bytes, in: id, at: transaction.snapshot
        ) { (entry) throws(StorageError) -> Int? in
            guard entry.info.isPurgeable else { return nil }
            do throws(StorageError) {
                return try unsafe time(candidate.key.span.bytes, entry) == candidate.time ? entry.byteCount : nil
            } catch {
                guard error.code == .corruption || error.code == .newerFormat else { throw error }
                return nil
            }
        } ?? nil
    }

    /// Returns the bytes by which an entry counts.
    static func bytes(_ key: Int, _ value: Int) -> Int64 { Int64(keyPrefixBytes + key + value) }

    /// Returns the time that the policy orders entries by.
    private func time(_ key: RawSpan, _ entry: PartialEntry) throws(StorageError) -> Int64 {
        let time = try writtenAt(entry) ?? stored.since
        guard order == .leastRecentlyUsedFirst else { return time }
        return max(time, core.lastUse(key, id) ?? time)
    }

    /// Reads the header of a value; of one in a value file only the beginning, unless the header has fields of a later
    /// version.
    private func writtenAt(_ entry: PartialEntry) throws(StorageError) -> Int64? {
        if !entry.isInMemory {
            let found = try entry.withBytes(0..<ValueInfo.beginningBytes) { (value) throws(StorageError) -> Int64?? in
                Envelope.isShort(value) ? .some(try EnvelopeExtension.writtenAt(value)) : nil
            }
            if let found { return found }
        }
        return try entry.withBytes(0..<entry.byteCount) { (value) throws(StorageError) in
            try EnvelopeExtension.writtenAt(value)
        }
    }
}

/// The number of bytes by time, in bounded memory: buckets of equal width, which doubles when there are too many
/// buckets.
struct TimeHistogram {
    private static let bucketMax = 4096

    private var buckets: [Int64: Int64] = [:]
    /// The width of a bucket is 2^shift milliseconds.
    private var shift: Int64 = 0
    private(set) var totalBytes: Int64 = 0

    mutating func add(_ milliseconds: Int64, bytes: Int64) {
        totalBytes += bytes
        buckets[milliseconds >> shift, default: 0] += bytes
        while buckets.count > TimeHistogram.bucketMax {
            shift += 1
            var coarser: [Int64: Int64] = [:]
            for (bucket, bytes) in buckets { coarser[bucket >> 1, default: 0] += bytes }
            buckets = coarser
        }
    }

    /// The range to remove so that at least the requested bytes go, oldest first: everything up to `through`, and
    /// `boundaryBytes` of what is later, up to `boundary`.
    struct Cut {
        var through = Int64.min
        var boundary = Int64.min
        var boundaryBytes: Int64 = 0
    }

    func cut(removing bytes: Int64) -> Cut {
        var cut = Cut()
        var rest = bytes
        for bucket in buckets.keys.sorted() where rest > 0 {
            let end = (bucket << shift) + (Int64(1) << shift) - 1
            let here = buckets[bucket] ?? 0
            if here <= rest {
                cut.through = end
            } else {
                cut.boundary = end
                cut.boundaryBytes = rest
            }
            rest -= here
        }
        return cut
    }
}
