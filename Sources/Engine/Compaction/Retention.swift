package import ShaleBase
package import ShaleManifest

/// The read points during a flush or compaction: the live snapshots, oldest first, and the present.
///
/// It is taken once, when a job starts. A later snapshot has a sequence at or above everything that the job reads, so
/// it sees the same as the present.
package struct Horizon: Sendable {
    /// Ascending in sequence; the present (sequence `.max`) comes last. Watermarks and time only grow from one to the
    /// next.
    ///
    /// Two snapshots that begin at the same moment may read sequence and clock in different order. The one with the
    /// smaller sequence then gets the other's smaller time here. That is safe, because less has expired for it.
    package let readPoints: [ReadPoint]
    /// The erasure of every live namespace, with the watermarks that the snapshots need.
    package let erasures: [NamespaceID: Erasure]

    package init(snapshots: [ReadPoint], wallMilliseconds: Int64, erasures: [NamespaceID: Erasure]) {
        var readPoints =
            snapshots.sorted {
                PlantedBug.isActive(.swapSnapshotOrder)
                    != (($0.sequence, $0.wallMilliseconds) < ($1.sequence, $1.wallMilliseconds))
            }
            + [ReadPoint(sequence: .max, wallMilliseconds: wallMilliseconds)]
        for index in readPoints.indices.dropLast().reversed() {
            let time = min(readPoints[index].wallMilliseconds, readPoints[index + 1].wallMilliseconds)
            readPoints[index] = ReadPoint(sequence: readPoints[index].sequence, wallMilliseconds: time)
        }
        self.readPoints = readPoints
        self.erasures = erasures
    }

    package var wallMilliseconds: Int64 { readPoints[readPoints.count - 1].wallMilliseconds }

    /// The oldest read point's sequence. All read points see everything at or below it.
    package var oldestSequence: SequenceNumber { readPoints[0].sequence }

    package var oldestWallMilliseconds: Int64 {
        readPoints.reduce(Int64.max) { min($0, $1.wallMilliseconds) }
    }

    package func erasure(of id: NamespaceID) -> Erasure { erasures[id] ?? .dropped }

    /// Returns the index of the first read point that sees `sequence`.
    @inline(__always)
    package func firstReadPoint(of sequence: SequenceNumber) -> Int {
        var index = 0
        while readPoints[index].sequence < sequence { index += 1 }
        return index
    }
}

/// Decides, version by version, what a flush or compaction writes.
///
/// Read points cut the versions of a key into stripes. Versions between two neighbouring read points are in one stripe,
/// and only the newest of a stripe is visible to any of them. The versions are judged from the newest to the oldest:
///
/// 1. A version is shadowed if its stripe already had a newer one. It is dropped.
/// 2. A version that is absent (visibility rule) for the first read point of its stripe is absent for all of them,
///    because watermarks and time only grow from read point to read point.
///    - A dropped or truncated version is removed: all older versions in the namespace are under the same watermark for
///      the same read points.
///    - Any other absent version becomes a tombstone. It must stay while it may hide something: until no older version
///      can exist below (`isBottom`) and no read point is older than it. Otherwise a version kept for that read point
///      would reappear for the later ones.
/// 3. Any other version is kept. At the bottom, a version that every read point sees gets a normalised sequence.
///
/// Not thread-safe; one per job.
package struct Retention {
    package enum Verdict: Equatable {
        case keep(Trailer)
        case tombstone(Trailer)
        case drop
    }

    /// One read point's visibility bounds in the current namespace, as plain words, so that judging a version accesses
    /// no array.
    private struct VisibilityBounds {
        var truncatedThrough: SequenceNumber
        var purgedThrough: SequenceNumber
        var wallMilliseconds: Int64
    }

    private let horizon: Horizon
    private let hasSnapshots: Bool
    /// True if sequences may be normalised: only in outputs to the last level.
    private let normalises: Bool

    private var namespace: NamespaceID?
    private var erasure = Erasure()
    private var isDropped = false
    private var present = VisibilityBounds(truncatedThrough: 0, purgedThrough: 0, wallMilliseconds: 0)
    private var normalisedDurable: SequenceNumber = 0
    private var normalisedPurgeable: SequenceNumber = 0
    /// The stripe of the previous version of the current key; `Int.max` before the first.
    private var stripe = Int.max

    package private(set) var counts = RetentionCounts()

    package init(_ horizon: Horizon, normalises: Bool) {
        self.horizon = horizon
        self.normalises = normalises
        hasSnapshots = horizon.readPoints.count > 1
    }

    /// Begins a key. Call it before the key's first version.
    @inline(__always)
    package mutating func beginKey(_ id: NamespaceID) {
        stripe = .max
        if id != namespace { beginNamespace(id) }
    }

    private mutating func beginNamespace(_ id: NamespaceID) {
        namespace = id
        erasure = horizon.erasure(of: id)
        isDropped = erasure.isDropped
        present = bounds(at: horizon.readPoints[horizon.readPoints.count - 1])
        normalisedDurable = erasure.normalisedSequence(purgeable: false)
        normalisedPurgeable = erasure.normalisedSequence(purgeable: true)
    }

    private func bounds(at readPoint: ReadPoint) -> VisibilityBounds {
        VisibilityBounds(
            truncatedThrough: erasure.truncatedThrough(at: readPoint.sequence),
            purgedThrough: erasure.purgedThrough(at: readPoint.sequence), wallMilliseconds: readPoint.wallMilliseconds)
    }

    /// Judges the next version of a key. Versions come in descending order of sequence.
    ///
    /// - Parameter isBottom: True if nothing older of this key can exist outside the job. Called only for absent
    ///   versions.
    @inline(__always)
    package mutating func judge(_ trailer: Trailer, expiry: Int64, isBottom: () -> Bool) -> Verdict {
        let first = hasSnapshots ? horizon.firstReadPoint(of: trailer.sequence) : 0
        if first == stripe {
            counts.shadowed += 1
            return .drop
        }
        stripe = first
        let bounds = hasSnapshots ? bounds(at: horizon.readPoints[first]) : present
        if isDropped || trailer.sequence <= bounds.truncatedThrough {
            counts.erased += 1
            return .drop
        }
        if Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: bounds.truncatedThrough, purgedThrough: bounds.purgedThrough,
            wallMilliseconds: bounds.wallMilliseconds)
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

    /// Returns the trailer with a normalised sequence. A version that the oldest read point sees may be under a
    /// watermark of a later one, and must stay under it. So sequences only ever decrease.
    @inline(__always)
    private func normalised(_ trailer: Trailer) -> Trailer {
        let target = trailer.kind.isPurgeable ? normalisedPurgeable : normalisedDurable
        return Trailer(min(trailer.sequence, target), trailer.kind)
    }
}

/// The number of versions that retention removed, by reason.
package struct RetentionCounts: Sendable, Equatable {
    package var shadowed: UInt64 = 0
    package var erased: UInt64 = 0
    package var tombstones: UInt64 = 0
}

/// Feeds entries in order through retention into an output. Only here do flush and compaction decide which entries
/// stay.
package struct RetentionWriter: ~Copyable {
    package private(set) var retention: Retention
    package var output: OutputWriter
    /// A copy of the current key, because the memory of its entry may be reused before the next comparison.
    private let key = OwnedBytes(count: FormatLimits.keyBytes + EncodedKey.namespaceWidth)
    private var keyCount = -1

    package init(_ retention: Retention, _ output: consuming OutputWriter) {
        self.retention = retention
        self.output = output
    }

    /// True if `entry` is another version of the last key.
    @inline(__always)
    package func continuesKey(_ entry: borrowing Entry) -> Bool {
        let current = entry.key
        return current.count == keyCount && key.bytes.slice(0, keyCount) == current
    }

    /// Forgets the current key, after blocks were copied past it.
    package mutating func endKey() { keyCount = -1 }

    /// Adds an entry. `older` are the segments outside the job that may hold older versions.
    @inline(__always)
    package mutating func add(_ entry: borrowing Entry, older: OlderSegments) throws(StorageError) {
        let current = entry.key
        if !continuesKey(entry) {
            key.mutable.copy(current, at: 0)
            keyCount = current.count
            retention.beginKey(EncodedKey.namespace(of: current))
        }
        switch retention.judge(entry.trailer, expiry: entry.expiry, isBottom: { !older.mayHold(current) }) {
        case .keep(let trailer): try output.add(current, trailer, entry.expiry, entry.value)
        case .tombstone(let trailer): try output.add(current, trailer, 0, .empty)
        case .drop: break
        }
    }
}
