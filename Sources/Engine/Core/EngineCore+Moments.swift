import ShaleBase
import ShaleCompaction
import ShaleManifest
import ShalePlatform
import Synchronization

/// Who looks at the store, and when. All of it takes the time that was read last, so a caller that needs it exact refreshes
/// the clock first, without a lock.
extension EngineCore {
    /// Everybody who is looking, for a job that begins now. The order matters: watermarks and time first, snapshots second. A
    /// snapshot that is made in between is newer than the watermarks taken, so it sees them; and its time is not before
    /// the one taken, because ``present()`` takes what was read last.
    func horizon() -> Horizon {
        let erased = erasures.snapshot()
        let now = clock.latestTrusted
        return Horizon(snapshots: snapshots.observers, wallMilliseconds: now, erasures: erased)
    }

    /// What picks compactions in the store as it is now, at the time that was read last. The version is taken first and
    /// the horizon second: the other order loses entries (DESIGN.md, section 10). `between` is called between the two, for
    /// a test.
    func picker(busy: Set<UInt64> = [], between: () -> Void = {}) -> CompactionPicker {
        let early = PlantedBug.isActive(.horizonBeforeVersion) ? horizon() : nil
        if early != nil { between() }
        let version = viewCell.retained().version
        if early == nil { between() }
        return CompactionPicker(version: version, options: compaction, horizon: early ?? horizon(), busy: busy)
    }

    /// The present, as readers without a snapshot see it, at the time that was read last. It is made under a lock of
    /// ``snapshots``, so the caller refreshes the clock before.
    func present() -> Observer {
        Observer(sequence: committer.visible.load(ordering: .acquiring), wallMilliseconds: clock.latest)
    }
}
