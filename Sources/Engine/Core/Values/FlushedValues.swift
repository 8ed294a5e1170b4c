import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// The treatment of large values by a flush of the memtable that refers to them.
enum FlushedValues: Sendable {
    /// The value file is durable and has this size: the segment refers to it. Its syncs in steps took this time.
    case durable(fileBytes: UInt64, stepNanoseconds: UInt64 = 0)
    /// The values are copied. They were read from a log, and may never have been synced. Streamed values, which were
    /// synced before any log referred to them, are copied too if `withStreams`: the segment is in another directory.
    case copied(ValueSource, withStreams: Bool = false)

    /// The choice for a memtable without large values.
    static let none = FlushedValues.durable(fileBytes: 0)

    /// The bytes of values that the flush makes durable.
    var byteCount: Int {
        switch self {
        case .durable(let fileBytes, _): Int(fileBytes)
        case .copied: 0
        }
    }

    /// The time that was spent on the values before the flush.
    var stepNanoseconds: UInt64 {
        switch self {
        case .durable(_, let stepNanoseconds): stepNanoseconds
        case .copied: 0
        }
    }

    func plan(_ memtable: Memtable) throws(StorageError) -> ValuePlan {
        guard let files = memtable.valueFiles else { return ValuePlan() }
        var plan = ValuePlan(sizes: files.streamBytes)
        switch self {
        case .durable(let fileBytes, _):
            if let own = files.own { plan.sizes[own.number] = fileBytes }
        case .copied(let source, let withStreams):
            plan.source = source
            if withStreams { plan.copied = Set(plan.sizes.keys) }
            guard let own = files.own else { break }
            if PlantedBug.isActive(.trustReplayedValues) {
                plan.sizes[own.number] = try own.size()
            } else {
                plan.copied.insert(own.number)
            }
        }
        return plan
    }
}

/// The ends of value files.
extension EngineCore {
    /// Makes the values of a full memtable durable, before a segment refers to them.
    ///
    /// - Parameter log: The memtable's log.
    func makeValuesDurable(of memtable: Memtable, _ log: UInt64) throws(StorageError) -> FlushedValues {
        guard memtable.valueFiles?.own != nil else { return .none }
        guard let writer = committer.lock.withLock({ committer.valueWriters[log] }) else {
            // The log was replayed and is served from memory. The opening has synced the file.
            return .durable(fileBytes: try valueSource.file(log).size())
        }
        if !PlantedBug.isActive(.skipValueFlush) { try sync(writer) }
        let stepNanoseconds = committer.lock.withLock { writer.stepNanoseconds }
        return .durable(fileBytes: writer.endOffset, stepNanoseconds: stepNanoseconds)
    }

    /// Makes a value file durable. A failure poisons the engine.
    func sync(_ writer: ValueFileWriter) throws(StorageError) {
        do throws(IOFailure) {
            try writer.sync()
        } catch {
            // The log refers to values that may be lost, and no sync is repeated.
            let failure = error.storageError
            committer.lock.withLock { committer.poison(failure) }
            throw failure
        }
    }

    /// Closes the value file of a log that is not needed any more, and deletes those of the files to which the log
    /// refers that no segment uses.
    ///
    /// - Parameter next: The next file number in the state before the edit that ended the log.
    func releaseValues(ofLog log: UInt64, before next: UInt64) {
        let (writer, streams) = committer.lock.withLock {
            (committer.valueWriters.removeValue(forKey: log), committer.streams.removeValue(forKey: log) ?? [:])
        }
        if let writer {
            do { try writer.close() } catch { counters.backgroundFailures.add(1) }
        }
        release(streams.merging([log: writer?.endOffset ?? 0]) { $1 }, before: next)
    }

    /// Deletes the value files that only these segments used.
    ///
    /// - Parameter next: The next file number in the state before the edit that removed the segments.
    func releaseValues(ofSegments segments: [Segment], before next: UInt64) {
        let uses = segments.flatMap(\.metadata.values)
        release(Dictionary(uses.map { ($0.file, $0.fileBytes) }, uniquingKeysWith: max), before: next)
    }

    /// Deletes those of `files` that neither a segment uses nor a log, as soon as no reader can reach them.
    ///
    /// - Parameter files: The sizes by the files' numbers.
    private func release(_ files: [UInt64: UInt64], before next: UInt64) {
        guard !files.isEmpty else { return }
        let view = viewCell.retained()
        let streams = committer.lock.withLock { committer.streams }
        for (number, bytes) in files.sorted(by: { $0.key < $1.key })
        where view.version.valueUses[number] == nil && !view.logs.contains(number)
            && !streams.values.contains(where: { $0[number] != nil })
        {
            let user = PlantedBug.isActive(.deleteValuesEarly) ? nil : valueSource.file(number)
            obsoleteFiles.addValues(number, bytes: bytes, user, before: next)
        }
    }
}
