package import ShaleBase
import ShaleManifest

/// Decides, version by version, what a flush or compaction writes.
///
/// Observers cut the versions of a key into stripes: versions between two neighbouring observers are in one stripe, and
/// only the newest of a stripe can be seen by anybody. Walking the versions from the newest:
///
/// 1. A version whose stripe already had a newer one is shadowed: dropped.
/// 2. A version that is absent (visibility rule) for the first observer of its stripe is absent for all of them, since
///    watermarks and time only grow from observer to observer. Dropped or truncated ones vanish outright: whatever is
///    older in the namespace is under the same watermark for the same observers. Others become tombstones, which
///    must stay as long as they may hide something: until no older version can exist below (`isBottom`) and no observer
///    is older than they are (otherwise a version kept for that observer would come back for the later ones).
/// 3. Anything else is kept. At the bottom, one that every observer sees gets a normalised sequence.
///
/// Not thread-safe; one per job.
package struct Retention {
    package enum Verdict: Equatable {
        case keep(Trailer)
        case tombstone(Trailer)
        case drop
    }

    /// What one observer sees of the current namespace, in plain words, so that judging a version touches no array.
    private struct Sight {
        var truncatedThrough: SequenceNumber
        var purgedThrough: SequenceNumber
        var wallMilliseconds: Int64
    }

    private let horizon: Horizon
    private let hasSnapshots: Bool
    /// Whether sequences may be normalised: only in outputs to the last level.
    private let normalises: Bool

    private var namespace: NamespaceID?
    private var erasure = Erasure()
    private var isDropped = false
    private var present = Sight(truncatedThrough: 0, purgedThrough: 0, wallMilliseconds: 0)
    private var normalisedDurable: SequenceNumber = 0
    private var normalisedPurgeable: SequenceNumber = 0
    /// The stripe of the previous version of the current key; `Int.max` before the first.
    private var stripe = Int.max

    package private(set) var counts = RetentionCounts()

    package init(_ horizon: Horizon, normalises: Bool) {
        self.horizon = horizon
        self.normalises = normalises
        hasSnapshots = horizon.observers.count > 1
    }

    /// Must be called before the first version of each key.
    @inline(__always)
    package mutating func beginKey(_ id: NamespaceID) {
        stripe = .max
        if id != namespace { beginNamespace(id) }
    }

    private mutating func beginNamespace(_ id: NamespaceID) {
        namespace = id
        erasure = horizon.erasure(of: id)
        isDropped = erasure.isDropped
        present = sight(of: horizon.observers[horizon.observers.count - 1])
        normalisedDurable = erasure.normalisedSequence(purgeable: false)
        normalisedPurgeable = erasure.normalisedSequence(purgeable: true)
    }

    private func sight(of observer: Observer) -> Sight {
        Sight(
            truncatedThrough: erasure.truncatedThrough(at: observer.sequence),
            purgedThrough: erasure.purgedThrough(at: observer.sequence), wallMilliseconds: observer.wallMilliseconds)
    }

    /// Versions of one key in falling order of sequence. `isBottom` is asked only for versions that are absent, and says
    /// whether nothing older of this key can exist outside the job.
    @inline(__always)
    package mutating func judge(_ trailer: Trailer, expiry: Int64, isBottom: () -> Bool) -> Verdict {
        let first = hasSnapshots ? horizon.firstObserver(of: trailer.sequence) : 0
        if first == stripe {
            counts.shadowed += 1
            return .drop
        }
        stripe = first
        let sight = hasSnapshots ? sight(of: horizon.observers[first]) : present
        if isDropped || trailer.sequence <= sight.truncatedThrough {
            counts.erased += 1
            return .drop
        }
        if Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: sight.truncatedThrough, purgedThrough: sight.purgedThrough,
            wallMilliseconds: sight.wallMilliseconds)
        {
            return .keep(normalises && first == 0 ? normalised(trailer) : trailer)
        }
        if !trailer.kind.isDelete { counts.erased += 1 }
        let isForgotten =
            PlantedBug.isActive(.dropTombstoneEarly)
            || PlantedBug.isActive(.expireWithoutTombstone) && trailer.kind.hasExpiry
        if first == 0, isForgotten || isBottom() {
            if trailer.kind.isDelete { counts.tombstones += 1 }
            return .drop
        }
        return .tombstone(Trailer(trailer.sequence, .delete))
    }

    /// A version that is there for the oldest observer may be under a watermark of a later one, and must stay there:
    /// sequences only ever fall.
    @inline(__always)
    private func normalised(_ trailer: Trailer) -> Trailer {
        let target = trailer.kind.isPurgeable ? normalisedPurgeable : normalisedDurable
        return Trailer(min(trailer.sequence, target), trailer.kind)
    }
}

/// What retention did away with.
package struct RetentionCounts: Sendable, Equatable {
    package var shadowed: UInt64 = 0
    package var erased: UInt64 = 0
    package var tombstones: UInt64 = 0
}
