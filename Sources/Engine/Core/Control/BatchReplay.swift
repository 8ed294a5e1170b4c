package import ShaleBase
import ShaleCompaction
package import ShaleManifest
package import ShaleMemtable
package import ShalePlatform
import ShaleSegment

/// Writes batches as segments of L0 of a store that is being made. Takes the memory of one memtable.
package struct BatchReplay {
    private let directory: any Directory
    private let numbers: FileNumbers
    private let horizon: Horizon
    private let environment = SegmentEnvironment(memoryBudget: 64 << 20, openFileLimit: 64)
    private let arenas = ArenaPool(capacity: BatchReplay.memtableBytes, keptMax: 1)
    private var state: StoreState
    private var memtable: Memtable?

    private static let memtableBytes = 64 << 20

    /// Begins after the batches in the segments of `state`, whose catalogue, time and last sequence are those after the
    /// last batch. The segments of `state` have smaller numbers than its next one.
    package init(after state: StoreState, in directory: any Directory) {
        self.state = state
        self.directory = directory
        numbers = FileNumbers(next: state.nextFileNumber)
        let erasures = ErasureTable()
        for record in state.catalogue.records.values { erasures.create(record) }
        horizon = Horizon(snapshots: [], wallMilliseconds: state.clockFloor, erasures: erasures.snapshot())
    }

    /// Adds the next batch, whose record has `byteCount` bytes.
    package mutating func add(_ batch: LoggedBatch, byteCount: Int) throws(StorageError) {
        if let memtable, !memtable.hasRoom(bytes: byteCount, operations: batch.count) { try flush() }
        let target: Memtable
        if let memtable { target = memtable } else { target = try makeMemtable(byteCount, batch.count) }
        memtable = target
        switch batch {
        case .single(let operation): operation.apply(to: target)
        case .batch(let operations): operations.apply(to: target)
        }
    }

    /// Writes what is left, and returns the whole state. The content of the segments is durable on return, their names
    /// are not.
    package mutating func finish() throws(StorageError) -> StoreState {
        try flush()
        state.nextFileNumber = numbers.next
        return state
    }

    private func makeMemtable(_ bytes: Int, _ operations: Int) throws(StorageError) -> Memtable {
        do { return Memtable(arena: try arenas.take(forBatchBytes: bytes, operations: operations)) } catch {
            throw error.storageError
        }
    }

    private mutating func flush() throws(StorageError) {
        guard let full = memtable else { return }
        memtable = nil
        let job = FlushJob(
            memtable: full, number: numbers.allocate(), segments: directory, options: CompactionOptions(),
            horizon: horizon,
            older: OlderSegments(
                loose: state.version.levels[0].segments, levels: Array(state.version.levels[1...])),
            isLast: false, createdMilliseconds: state.clockFloor)
        guard let metadata = try job.run() else { return }
        do throws(ParseFailure) {
            let edit = ManifestEdit([.segmentAdded(level: 0, metadata)])
            state = try state.applying(edit) { [directory, environment] in
                Segment(metadata: $0, directory: directory, environment: environment)
            }
        } catch {
            throw .corruption("the batches contradict the state: \(error.reason)")
        }
    }
}
