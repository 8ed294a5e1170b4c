import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import Synchronization

/// Copies of the state that a read-only engine shows.
extension EngineCore {
    func freeze(_ followed: FollowedState, isCopied: Bool) throws(StorageError) -> FrozenStore {
        guard !gate.isClosed else { throw EngineCore.closedError }
        // A state that can't be filled fails before anything is copied.
        if isCopied, !gate.isOpen { try passGate() }
        clock.refreshTrusted()
        // Before the view is taken: the view of a filled state has all memtables.
        let isPending = followed.batches.isPending
        let view = viewCell.retained()
        var state = followed.state
        state.lastSequence = committer.visible.load(ordering: .acquiring)
        // The copy has no logs.
        state.logFloor = 0
        clock.note(in: &state)
        let identity = CurrentFile(
            manifestNumber: 0, storeID: followed.identity.storeID,
            createdMilliseconds: followed.identity.createdMilliseconds)
        return FrozenStore(
            state: state, identity: identity, segments: directories.segments, wallMilliseconds: clock.latest,
            reader: isPending || view.immutables.contains { $0.entryCount > 0 } ? self : nil)
    }

    /// Writes the memtables as segments of L0 into `directory`, and returns `state` with them. On failure the new
    /// files are removed.
    func writeMemtables(after state: StoreState, to directory: any Directory) throws(StorageError) -> StoreState {
        if !gate.isOpen { try passGate() }
        let numbers = FileNumbers(next: state.nextFileNumber)
        let horizon = Horizon(snapshots: [], wallMilliseconds: clock.latestTrusted, erasures: erasures.snapshot())
        let created = clock.now
        var written: [Segment] = []
        do throws(StorageError) {
            for memtable in viewCell.retained().immutables.reversed() where memtable.entryCount > 0 {
                var job = FlushJob(
                    memtable: memtable, number: numbers.allocate(), segments: directory, options: compaction,
                    horizon: horizon,
                    older: OlderSegments(
                        loose: state.version.levels[0].segments + written, levels: Array(state.version.levels[1...])),
                    isLast: true, createdMilliseconds: created, values: .copied(valueSource, withStreams: true))
                job.through = state.lastSequence
                guard let metadata = try job.run() else { continue }
                written.append(Segment(metadata: metadata, directory: directory, environment: segmentEnvironment))
            }
            return try added(written, to: state, next: numbers.next)
        } catch {
            for segment in written { discard(segment, in: directory) }
            throw error
        }
    }

    private func added(_ segments: [Segment], to state: StoreState, next: UInt64) throws(StorageError) -> StoreState {
        let facts = segments.map { ManifestEdit.Fact.segmentAdded(level: 0, $0.metadata) }
        let known = Dictionary(uniqueKeysWithValues: segments.map { ($0.number, $0) })
        do throws(ParseFailure) {
            return try state.applying(ManifestEdit(facts + [.nextFileNumber(next)])) {
                [directories, segmentEnvironment] metadata in
                known[metadata.number]
                    ?? Segment(metadata: metadata, directory: directories.segments, environment: segmentEnvironment)
            }
        } catch {
            throw .corruption("the state can't be copied: \(error.reason)")
        }
    }

    /// Removes a file of a copy that failed. If the removal fails, the file is left in the unfinished copy.
    private func discard(_ segment: Segment, in directory: any Directory) {
        for name in segment.metadata.fileNames {
            do { try directory.remove(name) } catch { counters.backgroundFailures.add(1) }
        }
    }
}
