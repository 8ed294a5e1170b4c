package import ShaleBase
package import ShaleManifest

/// The observers during a flush or compaction: the live snapshots, oldest first, and the present.
///
/// It is taken once, when a job starts. A later snapshot has a sequence at or above everything that the job reads, so
/// it sees the same as the present.
package struct Horizon: Sendable {
    /// Ascending in sequence; the present (sequence `.max`) comes last. Watermarks and time only grow from one to the
    /// next.
    ///
    /// Two snapshots that begin at the same moment may read sequence and clock in different order. The one with the
    /// smaller sequence then gets the other's smaller time here. That is safe, because less has expired for it.
    package let observers: [Observer]
    /// The erasure of every live namespace, with the watermarks that the snapshots need.
    package let erasures: [NamespaceID: Erasure]

    package init(snapshots: [Observer], wallMilliseconds: Int64, erasures: [NamespaceID: Erasure]) {
        var observers =
            snapshots.sorted {
                PlantedBug.isActive(.swapSnapshotOrder)
                    != (($0.sequence, $0.wallMilliseconds) < ($1.sequence, $1.wallMilliseconds))
            }
            + [Observer(sequence: .max, wallMilliseconds: wallMilliseconds)]
        for index in observers.indices.dropLast().reversed() {
            let time = min(observers[index].wallMilliseconds, observers[index + 1].wallMilliseconds)
            observers[index] = Observer(sequence: observers[index].sequence, wallMilliseconds: time)
        }
        self.observers = observers
        self.erasures = erasures
    }

    package var wallMilliseconds: Int64 { observers[observers.count - 1].wallMilliseconds }

    /// The oldest observer's sequence. All observers see everything at or below it.
    package var oldestSequence: SequenceNumber { observers[0].sequence }

    package var oldestWallMilliseconds: Int64 {
        observers.reduce(Int64.max) { min($0, $1.wallMilliseconds) }
    }

    package func erasure(of id: NamespaceID) -> Erasure { erasures[id] ?? .dropped }

    /// Returns the index of the first observer that sees `sequence`.
    @inline(__always)
    package func firstObserver(of sequence: SequenceNumber) -> Int {
        var index = 0
        while observers[index].sequence < sequence { index += 1 }
        return index
    }
}
