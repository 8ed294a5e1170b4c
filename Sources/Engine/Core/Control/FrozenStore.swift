package import ShaleBase
package import ShaleManifest
import ShaleMemtable
package import ShalePlatform

/// A store as it was at one moment, in segments alone. Their files stay for as long as this value lives.
package struct FrozenStore: Sendable {
    package let state: StoreState
    package let identity: CurrentFile
    /// Where the segments are.
    package let segments: any Directory
    package let wallMilliseconds: Int64
}

extension Engine {
    /// Flushes, and keeps what there was when it began to: a prefix of batches and control operations in sequence order.
    package func freeze() throws(StorageError) -> FrozenStore { try core.freeze() }
}

extension EngineCore {
    /// See ``FrozenMoment`` for why the parts fit each other.
    func freeze() throws(StorageError) -> FrozenStore {
        let manifest = try writableManifest()
        clock.refresh()
        let (moment, newest) = try committer.exclusively { () throws(StorageError) -> (FrozenMoment, Memtable?) in
            let newest = try rotateForFlush()
            let moment = FrozenMoment(self, newest: newest)
            frozen.begin(moment, viewCell.retained())
            return (moment, newest)
        }
        defer {
            frozen.end(moment)
            // There may be dead segments now.
            background?.wake()
        }
        try waitForFlush(of: newest)
        guard let version = frozen.version(of: moment) else { throw EngineCore.closedError }
        var state = StoreState(version: version)
        state.catalogue =
            PlantedBug.isActive(.copyTheCatalogueLate) ? catalogue.withLock { $0 } : moment.catalogue
        state.lastSequence = moment.observer.sequence
        // Not before the times that the jobs went by which contributed to the version.
        clock.note(in: &state)
        // Above the numbers of all segments, which were made before.
        state.nextFileNumber = fileNumbers.next
        let identity = CurrentFile(
            manifestNumber: 0, storeID: manifest.storeID, createdMilliseconds: manifest.createdMilliseconds)
        return FrozenStore(
            state: state, identity: identity, segments: directories.segments,
            wallMilliseconds: moment.observer.wallMilliseconds)
    }
}
