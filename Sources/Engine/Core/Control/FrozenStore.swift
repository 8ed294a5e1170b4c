package import ShaleBase
package import ShaleManifest
import ShaleMemtable
package import ShalePlatform

/// A store as it was at one moment, in segments alone. Their files stay while this value exists.
package struct FrozenStore: Sendable {
    package let state: StoreState
    package let identity: CurrentFile
    /// The directory of the segments.
    package let segments: any Directory
    package let wallMilliseconds: Int64
}

extension Engine {
    /// Flushes, and returns the store as it was when the flush began: a prefix of batches and control operations in
    /// sequence order.
    package func freeze() throws(StorageError) -> FrozenStore { try core.freeze() }
}

extension EngineCore {
    /// Returns the frozen store. ``FrozenMoment`` explains why its parts are consistent.
    func freeze() throws(StorageError) -> FrozenStore {
        let manifest = try writableManifest()
        clock.refresh()
        let (moment, newest) = try committer.exclusively { () throws(StorageError) -> (FrozenMoment, Memtable?) in
            let newest = try rotateForFlush()
            let moment = FrozenMoment(self, newest: newest)
            viewCell.whileUnchanged { frozen.begin(moment, $0) }
            return (moment, newest)
        }
        defer {
            frozen.end(moment)
            // Segments may be dead now.
            background?.wake()
        }
        try waitForFlush(of: newest)
        guard let version = frozen.version(of: moment) else { throw EngineCore.closedError }
        var state = StoreState(version: version)
        state.catalogue =
            PlantedBug.isActive(.copyTheCatalogueLate) ? catalogue.withLock { $0 } : moment.catalogue
        state.lastSequence = moment.observer.sequence
        // After the last job that contributed to the version, so that the noted time is not before the times that these
        // jobs used.
        clock.note(in: &state)
        // Above the numbers of all segments, which are older.
        state.nextFileNumber = fileNumbers.next
        let identity = CurrentFile(
            manifestNumber: 0, storeID: manifest.storeID, createdMilliseconds: manifest.createdMilliseconds)
        return FrozenStore(
            state: state, identity: identity, segments: directories.segments,
            wallMilliseconds: moment.observer.wallMilliseconds)
    }
}
