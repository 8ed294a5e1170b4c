import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import Synchronization

/// Observers of the store. All use the time that was read last. A caller that needs an exact time refreshes the clock
/// first, without holding a lock.
extension EngineCore {
    /// Returns all present observers, for a job that begins now.
    ///
    /// The order matters: watermarks and time first, snapshots second. A snapshot that begins in between is newer than
    /// the watermarks taken, so it sees them. Its time is not before the one taken, because ``present()`` uses the last
    /// reading.
    func horizon() -> Horizon {
        if PlantedBug.isActive(.snapshotsBeforeWatermarks) {
            let observers = snapshots.observers
            SchedulePoint.reach(.visible)
            return Horizon(
                snapshots: observers, wallMilliseconds: clock.latestTrusted, erasures: erasures.snapshot())
        }
        let erased = erasures.snapshot()
        let now = clock.latestTrusted
        return Horizon(snapshots: snapshots.observers, wallMilliseconds: now, erasures: erased)
    }

    /// Returns a picker of compactions for the current store, at the time that was read last.
    ///
    /// The version is taken first and the horizon second: the other order loses entries
    /// (ShaleEngine.docc, "Visibility and retention").
    ///
    /// - Parameter between: Called between the two, for a test.
    func picker(busy: Set<UInt64> = [], between: () -> Void = {}) -> CompactionPicker {
        let early = PlantedBug.isActive(.horizonBeforeVersion) ? horizon() : nil
        if early != nil { between() }
        let version = viewCell.retained().version
        if early == nil { between() }
        return CompactionPicker(version: version, options: compaction, horizon: early ?? horizon(), busy: busy)
    }

    /// Returns the observer for readers without a snapshot, at the time that was read last. Called under a lock of
    /// ``snapshots``, so the caller refreshes the clock before.
    func present() -> Observer {
        Observer(sequence: committer.visible.load(ordering: .acquiring), wallMilliseconds: clock.latest)
    }
}
