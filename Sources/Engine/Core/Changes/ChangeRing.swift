import ShaleBase
import ShalePlatform
import Synchronization

/// Changes on their way from whoever commits to the one thread that hands them on: a ring of bytes with one writer, who
/// holds the commit lock, and one reader. Neither waits for the other.
///
/// When the reader is too slow the writer drops changes and remembers which; until the reader has fetched that, under the
/// commit lock, all later ones are dropped too, so that what is missing is one stretch.
///
/// Record: sequence << 8 | kind (u64), namespace (u32), key length (u32), key; records begin at multiples of 16 and are in
/// one piece. The writer stores `head` behind a record with release order, the reader `tail` behind what it has copied:
/// each sees what the other did before.
@safe
final class ChangeRing: @unchecked Sendable {
    private static let capacity: UInt64 = 1 << 20
    private static let headerBytes = 16
    /// Kind of what fills the ring's end when the next record does not fit there.
    private static let padding: UInt8 = 0xff

    private let head = Atomic<UInt64>(0)
    private let tail = Atomic<UInt64>(0)
    private let hasLost = Atomic(false)
    /// Whether the reader waits, or is about to.
    private let isSleeping = Atomic(false)
    private let parker = Parker(spinCount: 0)

    // Under the commit lock. Made for the first subscription, and kept: pages that are never touched cost nothing.
    private var start: UnsafeMutableRawPointer?
    private var written: UInt64 = 0
    private var lost: (from: SequenceNumber, through: SequenceNumber)?

    deinit { unsafe start?.deallocate() }

    // MARK: Writing, under the commit lock

    func prepare() {
        guard unsafe start == nil else { return }
        unsafe start = .allocate(byteCount: Int(ChangeRing.capacity), alignment: 16)
    }

    func append(_ kind: ObservedChange.Kind, _ sequence: SequenceNumber, _ namespace: NamespaceID, _ key: Bytes) {
        if lost == nil, let place = place(key.count) {
            place.store(sequence << 8 | UInt64(kind.rawValue), at: 0)
            place.store(namespace.rawValue, at: 8)
            place.store(UInt32(key.count), at: 12)
            place.copy(key, at: ChangeRing.headerBytes)
        } else {
            lost = (lost?.from ?? sequence, sequence)
        }
    }

    /// Lets the reader see what was appended, after it has become visible. True when the reader has to be woken, once the
    /// lock is free.
    func publish() -> Bool {
        if lost != nil { hasLost.store(true, ordering: .releasing) }
        // Either the reader, which announces its sleep before it looks for the last time, sees this head, or this writer
        // sees the announcement.
        SchedulePoint.reach(.changeRing)
        head.store(written, ordering: .sequentiallyConsistent)
        return isSleeping.load(ordering: .sequentiallyConsistent)
            && isSleeping.exchange(false, ordering: .acquiringAndReleasing)
    }

    private func place(_ keyCount: Int) -> MutableBytes? {
        guard let start = unsafe start else { return nil }
        let size = UInt64(ChangeRing.headerBytes + (keyCount + 15) & ~15)
        let offset = written % ChangeRing.capacity
        let rest = ChangeRing.capacity - offset
        let skipped = size <= rest ? 0 : rest
        guard written + skipped + size - tail.load(ordering: .acquiring) <= ChangeRing.capacity else { return nil }
        if skipped > 0 {
            let filler = unsafe MutableBytes(start: start + Int(offset), count: ChangeRing.headerBytes)
            filler.store(UInt64(ChangeRing.padding), at: 0)
            written += skipped
        }
        let place = unsafe MutableBytes(start: start + Int(written % ChangeRing.capacity), count: Int(size))
        written += size
        return place
    }

    /// What was dropped since this was last asked; with it everything before is in the ring. By the reader.
    func takeLost() -> (from: SequenceNumber, through: SequenceNumber)? {
        defer {
            lost = nil
            hasLost.store(false, ordering: .relaxed)
        }
        return lost
    }

    // MARK: Reading

    /// One change, lent from the ring.
    struct Record {
        let kind: ObservedChange.Kind
        let sequence: SequenceNumber
        let namespace: NamespaceID
        let key: Bytes
    }

    /// Lends up to `limit` changes to `body`, in order. Returns how many they were.
    func read(limit: Int, _ body: (Record) -> Void) -> Int {
        let end = head.load(ordering: .acquiring)
        var position = tail.load(ordering: .relaxed)
        var count = 0
        // The pointer was set before the first head was.
        while position < end, count < limit, let start = unsafe start {
            let offset = position % ChangeRing.capacity
            let record = unsafe Bytes(
                start: UnsafeRawPointer(start + Int(offset)), count: Int(ChangeRing.capacity - offset))
            let word = record.u64(at: 0)
            guard let kind = ObservedChange.Kind(rawValue: UInt8(truncatingIfNeeded: word)) else {
                position += UInt64(record.count)
                continue
            }
            let keyCount = Int(record.u32(at: 12))
            body(
                Record(
                    kind: kind, sequence: word >> 8, namespace: NamespaceID(rawValue: record.u32(at: 8)),
                    key: record.slice(ChangeRing.headerBytes, keyCount)))
            position += UInt64(ChangeRing.headerBytes + (keyCount + 15) & ~15)
            count += 1
        }
        tail.store(position, ordering: .releasing)
        return count
    }

    /// Whether changes were dropped, all of them after what can be read.
    var hasGap: Bool { hasLost.load(ordering: .acquiring) }

    /// Returns when there may be something to read, or `wake` was called.
    func waitForNews(unless isWanted: () -> Bool) {
        SchedulePoint.reach(.changeRing)
        isSleeping.store(true, ordering: .sequentiallyConsistent)
        SchedulePoint.reach(.changeRing)
        let isEmpty = head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .relaxed)
        if isEmpty, !hasGap, !isWanted() { parker.park() }
        isSleeping.store(false, ordering: .relaxed)
    }

    @inline(never)
    func wake() { parker.unpark() }
}
