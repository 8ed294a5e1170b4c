import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment

/// Walks the live entries of a range, at one moment, in one direction.
///
/// It keeps the view that it began with, and from time to time changes to the current one, so that a slow reader does
/// not hold memtables and files that have been replaced. Its snapshot makes that change invisible.
@safe
final class ScanCore {
    private static let repinSteps = 4096

    private let core: EngineCore
    private let plan: ScanPlan
    private let direction: Direction
    private let options: ScanOptions
    private let snapshot: Snapshot
    private let observer: Observer
    private let truncatedThrough: SequenceNumber
    private let purgedThrough: SequenceNumber

    private var view: View
    /// A constant, so that stepping needs no reference counting.
    private let merge: MergingCursor
    private var steps = 0
    /// The key delivered last, or passed over, copied.
    private let lastKey = OwnedBytes(count: EncodedKey.namespaceWidth + FormatLimits.keyBytes)
    private var lastKeyCount = -1
    /// Backward: the value delivered last, copied, because the merge has moved past it.
    private var held = ByteBuffer()

    private(set) var currentKey = Bytes.empty
    private(set) var currentValue = Bytes.empty
    private(set) var currentTrailer = Trailer(rawValue: 0)
    private(set) var currentExpiry: Int64 = 0

    init(
        _ core: EngineCore, _ plan: ScanPlan, _ direction: Direction, _ snapshot: Snapshot?, _ options: ScanOptions
    ) throws(StorageError) {
        self.core = core
        self.plan = plan
        self.direction = direction
        self.options = options
        self.snapshot = snapshot ?? Snapshot(core)
        observer = self.snapshot.observer
        let erasure = core.erasures.erasure(of: plan.namespace)
        truncatedThrough = erasure.truncatedThrough(at: observer.sequence)
        purgedThrough = erasure.purgedThrough(at: observer.sequence)
        view = core.viewCell.retained()
        // After the view was taken: a namespace that lives now is whole in it.
        try core.checkReadable(plan.namespace)
        merge = MergingCursor(ScanCore.sources(view, plan, direction, options))
        if let start = direction == .forward ? plan.lower : plan.upper {
            try start.withBytes { (start) throws(StorageError) in try merge.seek(start, direction) }
        } else {
            try merge.seek(nil, direction)
        }
    }

    /// Blocks are read past the cache in growing pieces: a scan should not push out what lookups use.
    static let defaultOptions = ScanOptions(fillCache: false, readAheadBytes: 256 << 10, startsSmall: true)

    /// Everything in `view` that may hold keys of the plan, in versions above `sequence`.
    static func sources(
        _ view: View, _ plan: ScanPlan, _ direction: Direction, _ options: ScanOptions,
        newerThan sequence: SequenceNumber = 0
    ) -> [EntryCursor] {
        let prefix = plan.sharedPrefixCount
        var cursors: [EntryCursor] = view.memtables.filter { $0.entryCount > 0 }.map {
            $0.makeCursor(headOffset: prefix)
        }
        let lower = OwnedBytes(plan.lower)
        let upper = plan.upper.map { OwnedBytes($0) }
        for level in view.version.levels where !level.isEmpty {
            let inside = level.segments.filter { segment in
                segment.metadata.maxSequence > sequence && lower.bytes <= segment.largestKey
                    && (upper.map { segment.smallestKey < $0.bytes } ?? true)
            }
            if inside.isEmpty { continue }
            if level.level == 0 {
                cursors += inside.map { EntryCursor($0, headOffset: prefix, options: options) }
            } else {
                cursors.append(EntryCursor(level: inside, headOffset: prefix, options: options))
            }
        }
        let limit = direction == .forward ? upper?.bytes : lower.bytes
        for cursor in cursors { cursor.setLimit(limit) }
        withExtendedLifetime((lower, upper)) {}
        return cursors
    }

    // MARK: Stepping

    /// Moves to the next live entry; false at the end, where it stays.
    func next() throws(StorageError) -> Bool {
        steps &+= 1
        if steps & (ScanCore.repinSteps - 1) == 0 { try repin() }
        return direction == .forward ? try nextForward() : try nextBackward()
    }

    /// The first version of a key that is not too new decides; the others are passed over.
    @inline(__always)
    private func nextForward() throws(StorageError) -> Bool {
        if isOnCurrent {
            isOnCurrent = false
            try merge.next()
        }
        while !merge.isEnded {
            let entry = merge.current
            let key = entry.key
            if entry.trailer.sequence <= observer.sequence, !isLastKey(key) {
                remember(key)
                if isPresent(entry.trailer, entry.expiry) {
                    isOnCurrent = true
                    deliver(entry.trailer, entry.expiry, entry.value)
                    return true
                }
            }
            try merge.next()
        }
        return false
    }

    private var isOnCurrent = false

    /// Versions come oldest first: the last that is not too new decides, and it is known only when the next key begins.
    private func nextBackward() throws(StorageError) -> Bool {
        while !merge.isEnded {
            remember(merge.current.key)
            var decided: (trailer: Trailer, expiry: Int64)?
            while !merge.isEnded, isLastKey(merge.current.key) {
                let entry = merge.current
                if entry.trailer.sequence <= observer.sequence {
                    decided = (entry.trailer, entry.expiry)
                    held.removeAll()
                    if isPresent(entry.trailer, entry.expiry) { held.append(entry.value) }
                }
                try merge.next()
            }
            if let decided, isPresent(decided.trailer, decided.expiry) {
                deliver(decided.trailer, decided.expiry, held.bytes)
                return true
            }
        }
        return false
    }

    @inline(__always)
    private func deliver(_ trailer: Trailer, _ expiry: Int64, _ value: Bytes) {
        currentKey = lastKey.bytes.slice(EncodedKey.namespaceWidth, lastKeyCount &- EncodedKey.namespaceWidth)
        currentValue = value
        currentTrailer = trailer
        currentExpiry = expiry
    }

    @inline(__always)
    private func isPresent(_ trailer: Trailer, _ expiry: Int64) -> Bool {
        Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: truncatedThrough, purgedThrough: purgedThrough,
            wallMilliseconds: observer.wallMilliseconds)
    }

    @inline(__always)
    private func isLastKey(_ key: Bytes) -> Bool {
        key.count == lastKeyCount && lastKey.bytes.slice(0, lastKeyCount) == key
    }

    @inline(__always)
    private func remember(_ key: Bytes) {
        lastKey.mutable.copy(key, at: 0)
        lastKeyCount = key.count
    }

    /// Changes to the current view behind the last key, if there is a newer one.
    private func repin() throws(StorageError) {
        let fresh = core.viewCell.retained()
        guard fresh !== view, lastKeyCount >= 0 else { return }
        // Dropped meanwhile, it may be gone from the new view: the scan can't be completed.
        try core.checkReadable(plan.namespace)
        view = fresh
        merge.replaceSources(ScanCore.sources(fresh, plan, direction, options))
        isOnCurrent = false
        let last = lastKey.bytes.slice(0, lastKeyCount).array()
        // Forward goes on behind the last key, of which other versions are passed over; backward below it.
        try last.withBytes { (start) throws(StorageError) in try merge.seek(start, direction) }
    }
}
