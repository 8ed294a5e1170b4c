import ShaleBase
import ShaleManifest
import ShaleMemtable
import ShalePlatform
import ShaleSegment
import ShaleValues

/// Iterates over the live entries of a range, at one moment, in one direction. Between two uses it is idle in a
/// ``ScanPool``.
///
/// It reads the view of its beginning. About every 4096 steps and at every seek it switches to the current view, so
/// that a slow reader does not hold replaced memtables and files. Its snapshot makes the switch invisible.
@safe
final class ScanCore {
    private static let repinSteps = 4096

    // Exclusive access to buffers is unchecked: one thread at a time uses a scan, and nothing that the buffers call
    // re-enters it. The checks would cost a seek as much as one of its sources.

    // Constants, so that a short scan counts no references to objects that all threads share.
    private let engine: EngineCore
    private let clock: EngineClock
    private let snapshots: SnapshotRegistry
    private let scans: ScanPool
    private let viewCell: ViewCell
    private let erasures: ErasureTable
    private let domain: BorrowedDomain
    var valueSource: ValueSource { engine.valueSource }

    // The state of the present use; unused while the scan is idle.
    @exclusivity(unchecked)
    private var bounds = ScanBounds()
    private var direction = Direction.forward
    private var snapshot: Engine.Snapshot?
    /// Holds the moment if there is no ``snapshot``.
    private let slot = SnapshotSlot()
    private var readPoint = ReadPoint(sequence: 0, wallMilliseconds: 0)
    private var truncatedThrough: SequenceNumber = 0
    private var purgedThrough: SequenceNumber = 0

    /// Owns the sources of ``merge``. Kept while idle.
    private var view: View?
    /// The address of `view`; 0 = none.
    private(set) var boundView: UInt = 0
    /// A constant, so that stepping counts no references.
    private let merge = MergingCursor([])

    /// The number of steps until the next check of the view; 0 before the first step.
    private var stepsLeft = 0
    private var isPositioned = false
    @exclusivity(unchecked)
    private var seekKey = ByteBuffer()
    /// True if the merge is positioned on ``current``, so that the next step must advance the merge.
    private var isOnCurrent = false
    /// The key returned or skipped last, in its run or copied. Empty before the first.
    private var lastKey = Bytes.empty
    @exclusivity(unchecked)
    private var lastKeyCopy = ByteBuffer()
    /// The value of the current entry, if it was read from a value file or, backward, if the merge has moved past it.
    @exclusivity(unchecked)
    private var held = ByteBuffer()
    /// True if the scan reads large values as it moves to their entries.
    private var readsLargeValues = true
    /// True if the caller expects to read many entries.
    private var readsMany = false
    private let heldEntry = UnsafeMutablePointer<ShaleBase.Entry>.allocate(capacity: 1)

    /// The entry returned last; an empty one before the first.
    private(set) var current: UnsafePointer<ShaleBase.Entry>

    private init(_ engine: EngineCore) {
        self.engine = engine
        clock = engine.clock
        snapshots = engine.snapshots
        scans = engine.scans
        viewCell = engine.viewCell
        erasures = engine.erasures
        domain = BorrowedDomain(engine.domain)
        unsafe heldEntry.initialize(to: ScanCore.noEntry)
        unsafe current = UnsafePointer(heldEntry)
    }

    deinit { unsafe heldEntry.deallocate() }

    private static var noEntry: ShaleBase.Entry {
        ShaleBase.Entry(head: 0, key: .empty, trailer: Trailer(rawValue: 0), expiry: 0, value: .empty)
    }

    var currentKey: Bytes {
        let key = unsafe current.pointee.key
        return key.isEmpty ? key : key.suffix(from: EncodedKey.namespaceWidth)
    }

    var currentValue: Bytes { unsafe current.pointee.value }

    var currentFound: FoundEntry {
        unsafe FoundEntry(
            trailer: current.pointee.trailer, expiry: current.pointee.expiry, value: current.pointee.value)
    }

    /// The properties of the current entry. A reference that does not parse counts as a value, whose read fails.
    var currentInfo: EntryInfo {
        let found = currentFound
        do throws(StorageError) { return try EntryInfo(stored: found) } catch { return EntryInfo(found) }
    }

    // MARK: Uses

    /// Takes an idle scan or creates one, positioned before the first entry of the range in the given direction.
    static func begin(
        _ engine: EngineCore, _ range: KeyRange, in namespace: NamespaceID, _ direction: Direction,
        _ snapshot: Engine.Snapshot?, readsLargeValues: Bool = true, readsMany: Bool = false
    ) throws(StorageError) -> ScanCore {
        // Before a view is taken, because that of an unfilled state lacks memtables.
        if !engine.gate.isOpen { try engine.passGate() }
        let scan = engine.scans.take(engine.domain.threadNumber) ?? ScanCore(engine)
        do {
            scan.readsLargeValues = readsLargeValues
            scan.readsMany = readsMany
            try scan.begin(range, namespace, direction, snapshot)
        } catch {
            scan.finish()
            throw error
        }
        return scan
    }

    private func begin(
        _ range: KeyRange, _ namespace: NamespaceID, _ direction: Direction, _ snapshot: Engine.Snapshot?
    ) throws(StorageError) {
        self.direction = direction
        unsafe bounds.set(range, in: namespace)
        if let snapshot {
            self.snapshot = snapshot
            readPoint = snapshot.readPoint
        } else {
            clock.refresh()
            readPoint = snapshots.register(slot) { engine.present() }
        }
        (truncatedThrough, purgedThrough) = erasures.watermarks(of: namespace, at: readPoint.sequence)
        isPositioned = false
        stepsLeft = 0
        try useCurrentView()
    }

    /// Releases the moment and all read data, and puts the scan into the pool.
    func finish() {
        merge.releaseBuffers()
        forgetPosition()
        if unsafe held.capacity > ScanCore.keptBytes { unsafe held = ByteBuffer() }
        if snapshot == nil { snapshots.release(slot) } else { snapshot = nil }
        scans.put(self, domain.threadNumber, current: viewCell)
    }

    private static let keptBytes = 64 << 10

    private func useCurrentView() throws(StorageError) {
        if !viewCell.isCurrent(boundView) {
            let fresh = viewCell.retained()
            merge.replaceSources(ScanCore.sources(fresh))
            view = fresh
            boundView = UInt(bitPattern: unsafe Unmanaged.passUnretained(fresh).toOpaque())
        }
        // After taking the view, so that the view contains everything of a live namespace.
        try unsafe engine.checkReadable(bounds.namespace)
        unsafe merge.setBounds(
            headOffset: bounds.sharedPrefixCount, limit: direction == .forward ? bounds.upper : bounds.lower)
    }

    // MARK: Positioning

    /// Moves before the first entry with key ≥ `key`, or, backward, before the last one with key ≤ `key`, inside the
    /// range.
    func seek(to key: Bytes) throws(StorageError) {
        guard key.count <= FormatLimits.keyBytes else {
            throw .invalid("the key is \(key.count) bytes, over the limit of 16 KiB")
        }
        unsafe seekKey.removeAll()
        unsafe seekKey.append(bounds.namespace.rawValue.byteSwapped)
        // Copied, because the key may be the current one's, in memory that is about to change.
        unsafe seekKey.append(key)
        if direction == .backward { unsafe seekKey.append(UInt8(0)) }
        try useCurrentView()
        let wanted = unsafe seekKey.bytes
        if direction == .forward {
            try unsafe position(at: wanted < bounds.lower ? bounds.lower : wanted)
        } else {
            try unsafe position(at: bounds.upper < wanted ? bounds.upper : wanted)
        }
    }

    private func position(at key: Bytes) throws(StorageError) {
        forgetPosition()
        isPositioned = false
        // One pin for all sources, whose own pins nest in it.
        let pin = domain.pin()
        defer { domain.unpin(pin) }
        try merge.seek(key, direction, startsLong: readsMany)
        isPositioned = true
        stepsLeft = ScanCore.repinSteps
    }

    private func forgetPosition() {
        isOnCurrent = false
        lastKey = .empty
        unsafe heldEntry.pointee = ScanCore.noEntry
        unsafe current = UnsafePointer(heldEntry)
    }

    /// Positions the scan before the first step. After every 4096 steps, switches to the current view.
    @inline(never)
    private func prepareSteps() throws(StorageError) {
        if !isPositioned { return try unsafe position(at: direction == .forward ? bounds.lower : bounds.upper) }
        stepsLeft = ScanCore.repinSteps
        guard !viewCell.isCurrent(boundView), !lastKey.isEmpty else { return }
        // Forward continues after the last key and skips its other versions; backward continues below it.
        keepLastKey()
        // A namespace that was dropped meanwhile may be gone from the new view. Then the scan can't be completed.
        try useCurrentView()
        isOnCurrent = false
        try merge.seek(lastKey, direction)
    }

    // MARK: Stepping

    /// Moves to the next live entry. Returns false at the end, and on every later call.
    func next() throws(StorageError) -> Bool {
        if stepsLeft == 0 { try prepareSteps() }
        stepsLeft &-= 1
        return direction == .forward ? try nextForward() : try nextBackward()
    }

    /// Replaces the current entry, a reference, by one with the value, unless the scan reads no large values.
    @inline(never)
    private func readLargeValue() throws(StorageError) {
        guard readsLargeValues else { return }
        let found = currentFound
        let reference = try ValueReference(stored: found.value)
        unsafe held.removeAll()
        try unsafe engine.valueSource.read(reference, into: held.extend(reference.count))
        let entry = unsafe found.replacingReference(by: held.bytes)
        unsafe heldEntry.pointee = ShaleBase.Entry(
            head: 0, key: current.pointee.key, trailer: entry.trailer, expiry: entry.expiry, value: entry.value)
        unsafe current = UnsafePointer(heldEntry)
    }

    /// The first version of a key that is not too new decides; the others are skipped.
    @inline(__always)
    private func nextForward() throws(StorageError) -> Bool {
        if isOnCurrent {
            isOnCurrent = false
            try step()
        }
        while !merge.isEnded {
            let entry = unsafe merge.currentAddress
            let trailer = unsafe entry.pointee.trailer
            let key = unsafe entry.pointee.key
            if trailer.sequence <= readPoint.sequence, !key.isSame(as: lastKey) {
                lastKey = key
                if unsafe isPresent(trailer, entry.pointee.expiry) {
                    try unsafe deliver(entry, trailer)
                    return true
                }
            }
            try step()
        }
        return false
    }

    /// Versions come oldest first, so the last one that is not too new decides. Most keys have one version, which the
    /// next entry of the run shows.
    @inline(__always)
    private func nextBackward() throws(StorageError) -> Bool {
        if isOnCurrent {
            isOnCurrent = false
            try step()
        }
        while !merge.isEnded {
            guard merge.isLastOfKey else {
                if try passVersions() { return true }
                continue
            }
            let entry = unsafe merge.currentAddress
            let trailer = unsafe entry.pointee.trailer
            lastKey = unsafe entry.pointee.key
            if trailer.sequence <= readPoint.sequence, unsafe isPresent(trailer, entry.pointee.expiry) {
                try unsafe deliver(entry, trailer)
                return true
            }
            try step()
        }
        return false
    }

    /// Backward: walks through the versions of the current key, and returns the deciding one if it is present.
    @inline(never)
    private func passVersions() throws(StorageError) -> Bool {
        lastKey = unsafe merge.currentAddress.pointee.key
        keepLastKey()
        var decided: ShaleBase.Entry?
        while !merge.isEnded, merge.current.key.isSame(as: lastKey) {
            let entry = merge.current
            if entry.trailer.sequence <= readPoint.sequence {
                unsafe held.removeAll()
                if isPresent(entry.trailer, entry.expiry) {
                    unsafe held.append(entry.value)
                    decided = entry
                } else {
                    decided = nil
                }
            }
            try merge.next()
        }
        guard let decided else { return false }
        unsafe heldEntry.pointee = ShaleBase.Entry(
            head: 0, key: lastKey, trailer: decided.trailer, expiry: decided.expiry, value: held.bytes)
        unsafe current = UnsafePointer(heldEntry)
        if decided.trailer.kind.isReference { try readLargeValue() }
        return true
    }

    @inline(__always)
    private func deliver(_ entry: UnsafePointer<ShaleBase.Entry>, _ trailer: Trailer) throws(StorageError) {
        isOnCurrent = true
        unsafe current = entry
        if trailer.kind.isReference { try readLargeValue() }
    }

    @inline(__always)
    private func step() throws(StorageError) {
        if merge.isAtRunEnd { keepLastKey() }
        try merge.next()
    }

    /// Copies the last key out of its run, which is about to be replaced.
    private func keepLastKey() {
        let isKept = unsafe lastKey.start == lastKeyCopy.bytes.start
        if lastKey.isEmpty || isKept { return }
        unsafe lastKeyCopy.removeAll()
        unsafe lastKeyCopy.append(lastKey)
        lastKey = unsafe lastKeyCopy.bytes
    }

    @inline(__always)
    private func isPresent(_ trailer: Trailer, _ expiry: Int64) -> Bool {
        Visibility.isPresent(
            trailer, expiry: expiry, truncatedThrough: truncatedThrough, purgedThrough: purgedThrough,
            wallMilliseconds: readPoint.wallMilliseconds)
    }
}
