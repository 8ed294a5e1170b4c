import ShaleBase
import ShaleMemtable
import ShalePlatform
import Synchronization

/// A ring of bytes that carries changes from the committing threads to the thread that delivers them. It has one writer
/// at a time, which holds the commit lock, and one reader. Neither waits for the other.
///
/// If the reader is too slow, the writer drops changes and remembers their range. Until the reader has fetched the
/// range, under the commit lock, all later changes are dropped too, so that the loss is one contiguous range.
///
/// Record: sequence << 8 | flags | kind (u64), namespace (u32), key length (u32), with `expiryFlag` the expiry (i64),
/// key. Records begin at multiples of 16 and are contiguous. The writer stores `head` with release order after writing
/// records; the reader stores `tail` with release order after reading them. So each side sees the other's earlier
/// accesses.
@safe
final class ChangeRing: @unchecked Sendable {
    #if SHALE_SCHEDULES
        /// Four changes of the programs that `tools/schedules` runs, so that their readers miss some.
        private static let capacity: UInt64 = 128
    #else
        private static let capacity: UInt64 = 1 << 20
    #endif
    private static let headerBytes = 16
    private static let expiryBytes = 8
    private static let kindMask: UInt8 = 0x07
    private static let expiryFlag: UInt8 = 0x10
    private static let purgeableFlag: UInt8 = 0x20
    /// The kind of the padding at the ring's end, written when the next record does not fit there.
    private static let padding: UInt8 = 0xff

    private let head = Atomic<UInt64>(0)
    private let tail = Atomic<UInt64>(0)
    private let hasLost = Atomic(false)
    /// True while the reader waits, or is about to.
    private let isSleeping = Atomic(false)
    private let parker = Parker(spinCount: 0)

    // Under the commit lock. Allocated for the first subscription and kept, because untouched pages cost nothing.
    private var start: UnsafeMutableRawPointer?
    private var written: UInt64 = 0
    private var lost: (from: SequenceNumber, through: SequenceNumber)?

    deinit { unsafe start?.deallocate() }

    // MARK: Writing, under the commit lock

    func prepare() {
        guard unsafe start == nil else { return }
        unsafe start = .allocate(byteCount: Int(ChangeRing.capacity), alignment: 16)
    }

    func append(
        _ kind: ObservedChange.Kind, _ sequence: SequenceNumber, _ namespace: NamespaceID, _ key: Bytes,
        expiry: Expiry? = nil
    ) {
        let keyOffset = ChangeRing.headerBytes + (expiry == nil ? 0 : ChangeRing.expiryBytes)
        if lost == nil, let place = place(keyOffset + key.count) {
            place.store(sequence << 8 | UInt64(kind.rawValue | ChangeRing.flags(expiry)), at: 0)
            place.store(namespace.rawValue, at: 8)
            place.store(UInt32(key.count), at: 12)
            if let expiry { place.store(UInt64(bitPattern: expiry.milliseconds), at: ChangeRing.headerBytes) }
            place.copy(key, at: keyOffset)
        } else {
            lost = (lost?.from ?? sequence, sequence)
        }
    }

    private static func flags(_ expiry: Expiry?) -> UInt8 {
        guard let expiry else { return 0 }
        return expiryFlag | (expiry.isPurgeable ? purgeableFlag : 0)
    }

    /// Publishes the appended records to the reader, after the changes have become visible.
    ///
    /// - Returns: True if the caller has to wake the reader, after releasing the lock.
    func publish() -> Bool {
        if lost != nil { hasLost.store(true, ordering: .releasing) }
        // The reader sets `isSleeping` before its last check of `head`. So either the reader sees this head, or this
        // writer sees `isSleeping`.
        SchedulePoint.reach(.changeRing)
        head.store(written, ordering: .sequentiallyConsistent)
        return isSleeping.load(ordering: .sequentiallyConsistent)
            && isSleeping.exchange(false, ordering: .acquiringAndReleasing)
    }

    private func place(_ byteCount: Int) -> MutableBytes? {
        guard let start = unsafe start else { return nil }
        let size = UInt64(ChangeRing.rounded(byteCount))
        let offset = written % ChangeRing.capacity
        let rest = ChangeRing.capacity - offset
        let skipped = size <= rest ? 0 : rest
        let room = ChangeRing.capacity + (PlantedBug.isActive(.overfillChangeRing) ? 32 : 0)
        guard written + skipped + size - tail.load(ordering: .acquiring) <= room else { return nil }
        if skipped > 0 {
            let filler = unsafe MutableBytes(start: start + Int(offset), count: ChangeRing.headerBytes)
            filler.store(UInt64(ChangeRing.padding), at: 0)
            written += skipped
        }
        let place = unsafe MutableBytes(start: start + Int(written % ChangeRing.capacity), count: Int(size))
        written += size
        return place
    }

    private static func rounded(_ byteCount: Int) -> Int { (byteCount + 15) & ~15 }

    /// Returns the range of changes dropped since the last call. All changes before the range are in the ring by then.
    /// The reader calls this under the commit lock.
    func takeLost() -> (from: SequenceNumber, through: SequenceNumber)? {
        defer {
            lost = nil
            hasLost.store(false, ordering: .relaxed)
        }
        return lost
    }

    // MARK: Reading

    /// One change. The ring owns the key's bytes.
    struct Record {
        let kind: ObservedChange.Kind
        let sequence: SequenceNumber
        let namespace: NamespaceID
        /// `nil` for a removed entry and for one without an expiry.
        let expiry: Expiry?
        let key: Bytes
    }

    /// The expiry of an entry, in milliseconds since 1970.
    struct Expiry: Equatable {
        let milliseconds: Int64
        let isPurgeable: Bool
    }

    /// Passes up to `limit` changes to `body`, in order, and returns their number.
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
            let flags = UInt8(truncatingIfNeeded: word)
            guard let kind = ObservedChange.Kind(rawValue: flags & ChangeRing.kindMask) else {
                position += UInt64(record.count)
                continue
            }
            let keyCount = Int(record.u32(at: 12))
            var keyOffset = ChangeRing.headerBytes
            var expiry: Expiry?
            if flags & ChangeRing.expiryFlag != 0 {
                expiry = Expiry(
                    milliseconds: record.i64(at: keyOffset), isPurgeable: flags & ChangeRing.purgeableFlag != 0)
                keyOffset += ChangeRing.expiryBytes
            }
            body(
                Record(
                    kind: kind, sequence: word >> 8, namespace: NamespaceID(rawValue: record.u32(at: 8)),
                    expiry: expiry, key: record.slice(keyOffset, keyCount)))
            position += UInt64(ChangeRing.rounded(keyOffset + keyCount))
            count += 1
        }
        tail.store(position, ordering: .releasing)
        return count
    }

    /// True if changes were dropped. They all follow the readable ones.
    var hasGap: Bool { hasLost.load(ordering: .acquiring) }

    /// Waits until there may be something to read, until `wake` is called, or for `limit` nanoseconds.
    func waitForChanges(atMost limit: UInt64? = nil, unless isWanted: () -> Bool) {
        if PlantedBug.isActive(.announceSleepLate),
            head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .relaxed), !hasGap, !isWanted()
        {
            SchedulePoint.reach(.changeRing)
            isSleeping.store(true, ordering: .sequentiallyConsistent)
            return parker.park()
        }
        SchedulePoint.reach(.changeRing)
        isSleeping.store(true, ordering: .sequentiallyConsistent)
        SchedulePoint.reach(.changeRing)
        let isEmpty = head.load(ordering: .sequentiallyConsistent) == tail.load(ordering: .relaxed)
        if isEmpty, !hasGap, !isWanted() {
            if let limit { _ = parker.park(nanoseconds: limit) } else { parker.park() }
        }
        isSleeping.store(false, ordering: .relaxed)
    }

    @inline(never)
    func wake() { parker.unpark() }
}

extension ChangeRing.Expiry {
    /// `nil` for a kind without an expiry.
    fileprivate init?(_ kind: EntryKind, _ milliseconds: Int64) {
        guard kind.hasExpiry else { return nil }
        self.init(milliseconds: milliseconds, isPurgeable: kind.isPurgeable)
    }
}

/// Publishing changes to subscribers, under `lock` and after the change has become visible.
///
/// `observedMask` has one bit for each observed namespace; several ids share a bit. Without subscriptions, checking
/// `observedMask` is all that a commit does for them.
extension Committer {
    /// True if changes of `namespace` may have subscribers.
    @inline(__always)
    func isObserved(_ namespace: NamespaceID, _ observedMask: UInt64) -> Bool {
        observedMask &>> UInt64(namespace.rawValue & 63) & 1 != 0
    }

    /// Publishes the change of one key. Returns true if the caller has to wake the subscribers' thread.
    @inline(never)
    func publishChanges(
        _ namespace: NamespaceID, _ key: Bytes, _ kind: EntryKind, expiry: Int64, _ sequence: SequenceNumber,
        _ observedMask: UInt64
    ) -> Bool {
        guard isObserved(namespace, observedMask) else { return false }
        changes.append(
            kind.isDelete ? .removed : .set, sequence, namespace, key, expiry: ChangeRing.Expiry(kind, expiry))
        return changes.publish()
    }

    @inline(never)
    func publishChanges(_ batch: Bytes, _ base: SequenceNumber, _ observedMask: UInt64) {
        var sequence = base
        for operation in BatchOperations(validated: batch) {
            if isObserved(operation.namespace, observedMask) {
                changes.append(
                    operation.kind.isDelete ? .removed : .set, sequence, operation.namespace, operation.userKey,
                    expiry: ChangeRing.Expiry(operation.kind, operation.expiry))
            }
            sequence += 1
        }
        if changes.publish() { needsWakeup = true }
    }

    func publishChanges(_ kind: ObservedChange.Kind, _ namespaces: [NamespaceID], _ sequence: SequenceNumber) {
        let observedMask = observedMask.load(ordering: .relaxed)
        guard observedMask != 0 else { return }
        for namespace in namespaces where isObserved(namespace, observedMask) {
            changes.append(kind, sequence, namespace, .empty)
        }
        if changes.publish() { needsWakeup = true }
    }

    /// Returns true if the subscribers' thread has to be woken after the lock is released, and clears that state.
    func takeWakeup() -> Bool {
        defer { needsWakeup = false }
        return needsWakeup
    }
}
