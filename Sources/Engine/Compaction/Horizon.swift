package import ShaleBase
package import ShaleManifest

/// Who is looking while a flush or compaction runs: the live snapshots, oldest first, and now. Taken once when a job
/// starts. A snapshot made later has a sequence at or above everything the job reads and sees what "now" sees.
package struct Horizon: Sendable {
    /// Rising in sequence; the present (sequence `.max`) comes last. Watermarks and time only grow from one to the next.
    ///
    /// Two snapshots that began at the same moment may have read sequence and clock in different order: the one with the
    /// smaller sequence then stands here with the other's time. That is on the safe side, because less has expired for it.
    package let observers: [Observer]
    /// Erasure of every live namespace, with the watermarks that the snapshots need.
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

    /// The oldest observer's sequence: everything at or below it is seen by all.
    package var oldestSequence: SequenceNumber { observers[0].sequence }

    package var oldestWallMilliseconds: Int64 {
        observers.reduce(Int64.max) { min($0, $1.wallMilliseconds) }
    }

    package func erasure(of id: NamespaceID) -> Erasure { erasures[id] ?? .dropped }

    /// The index of the first observer that can see `sequence`.
    @inline(__always)
    package func firstObserver(of sequence: SequenceNumber) -> Int {
        var index = 0
        while observers[index].sequence < sequence { index += 1 }
        return index
    }
}
