import ShaleBase
import ShaleMemtable

/// An own write of a transaction with its user key, as a scan finds it.
struct OwnEntry {
    let key: [UInt8]
    /// `nil` if the key is removed, or the entry has expired.
    let value: [UInt8]?
    let options: PutOptions
}

/// The writes of a transaction that is not committed yet: for each key the offset of its last operation in the
/// transaction's batch. Every function takes the batch's bytes, so keys and values are stored once.
///
/// Writing costs nothing here. A read first notes the operations that were added since the last one, one hash each, so
/// a transaction that reads no more pays for none of its writes. The keys are put in order when a scan begins:
/// O(writes) if many keys were added since the last scan, plus O(log writes) for each of a few keys, and the writes in
/// the range.
struct OwnWrites {
    /// Up to this number, new keys are put into their places one by one.
    private static let fewMax = 8

    private var index = KeyIndex()
    /// The offset in the batch behind the last operation that was noted.
    private var end = BatchFormat.headerBytes
    /// The numbers of keys in ascending order of the keys. Those added since the last scan are missing.
    private var ordered: [Int] = []

    /// Notes the operations that were added to the batch since the last call. Every other function needs that first.
    @inline(__always)
    mutating func noteAll(in batch: Bytes) { if end < batch.count { noteRest(batch) } }

    @inline(never)
    private mutating func noteRest(_ batch: Bytes) {
        while end < batch.count {
            let operation = BatchOperation(in: batch, at: end)
            note(operation, at: end, in: batch)
            end += BatchFormat.encodedSize(
                keyBytes: operation.userKey.count, valueBytes: operation.value.count, kind: operation.kind)
        }
    }

    private mutating func note(_ operation: BatchOperation, at offset: Int, in batch: Bytes) {
        let hash = index.hash(operation.namespace, operation.userKey)
        let known = index.number(hash) { isOperation($0, operation.namespace, operation.userKey, batch) }
        if let known {
            index[known] = offset
        } else {
            index.append(hash, offset)
        }
    }

    /// Returns the last operation of a key; `nil` if it was not written. `hash` is that of ``KeyHasher/ofProcess``.
    func operation(_ namespace: NamespaceID, _ key: Bytes, hash: UInt64, in batch: Bytes) -> BatchOperation? {
        guard index.count > 0 else { return nil }
        let found = index.number(hash) { isOperation($0, namespace, key, batch) }
        return found.map { BatchOperation(in: batch, at: index[$0]) }
    }

    private func isOperation(_ offset: Int, _ namespace: NamespaceID, _ key: Bytes, _ batch: Bytes) -> Bool {
        let operation = BatchOperation(in: batch, at: offset)
        return operation.namespace == namespace && operation.userKey == key
    }

    /// The bytes of encoded keys and values of the purgeable entries, by namespace.
    func purgeableBytes(in batch: Bytes) -> [NamespaceID: Int64] {
        var bytes: [NamespaceID: Int64] = [:]
        for number in 0..<index.count {
            let operation = BatchOperation(in: batch, at: index[number])
            guard operation.kind.isPurgeable, !operation.kind.isDelete else { continue }
            let count = EncodedKey.namespaceWidth + operation.userKey.count + operation.value.count
            bytes[operation.namespace, default: 0] += Int64(count)
        }
        return bytes
    }

    /// Returns the writes in a range of user keys as of now, in ascending order of their keys.
    mutating func entries(
        over range: KeyRange, in namespace: NamespaceID, at clock: EngineClock, in batch: Bytes
    ) -> [OwnEntry] {
        if index.count == 0 { return [] }
        putInOrder(batch)
        let bounds = ScanBounds(range, in: namespace)
        let (lower, upper) = (bounds.lower.array(), bounds.upper.array())
        var entries: [OwnEntry] = []
        for number in ordered[firstPlace(notBelow: lower, batch)...] {
            let operation = BatchOperation(in: batch, at: index[number])
            guard encodedKey(operation).lexicographicallyPrecedes(upper) else { break }
            entries.append(
                OwnEntry(
                    key: operation.userKey.array(),
                    value: operation.isPresent(at: clock) ? operation.value.array() : nil,
                    options: operation.options))
        }
        return entries
    }

    private func encodedKey(_ operation: BatchOperation) -> [UInt8] {
        EncodedKey.make(operation.namespace, operation.userKey)
    }

    private mutating func putInOrder(_ batch: Bytes) {
        guard ordered.count < index.count else { return }
        let isBefore = { [index] (a: Int, b: Int) -> Bool in
            let (a, b) = (BatchOperation(in: batch, at: index[a]), BatchOperation(in: batch, at: index[b]))
            guard a.namespace == b.namespace else { return a.namespace.rawValue < b.namespace.rawValue }
            return a.userKey < b.userKey
        }
        let new = ordered.count..<index.count
        if new.count <= OwnWrites.fewMax {
            for number in new { ordered.insert(number, at: place(of: number, isBefore)) }
            return
        }
        let added = new.sorted(by: isBefore)
        var merged: [Int] = []
        merged.reserveCapacity(index.count)
        var (left, right) = (ordered[...], added[...])
        while let first = left.first, let second = right.first {
            merged.append(isBefore(first, second) ? left.removeFirst() : right.removeFirst())
        }
        merged += left
        merged += right
        ordered = merged
    }

    private func place(of number: Int, _ isBefore: (Int, Int) -> Bool) -> Int {
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(ordered[middle], number) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func firstPlace(notBelow key: [UInt8], _ batch: Bytes) -> Int {
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            let operation = BatchOperation(in: batch, at: index[ordered[middle]])
            if encodedKey(operation).lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension BatchOperation {
    var options: PutOptions {
        PutOptions(isPurgeable: kind.isPurgeable, expiresAtMilliseconds: kind.hasExpiry ? expiry : nil)
    }

    /// True if a read finds the operation's value now: if it is no removal, and has not expired.
    func isPresent(at clock: EngineClock) -> Bool { !kind.isDelete && (!kind.hasExpiry || expiry > clock.now) }
}

/// The part of a range that a transaction's scan has read. Guarded by the transaction's lock.
final class ScanExtent {
    enum Position {
        case start
        /// The last key that was delivered.
        case key([UInt8])
        case end
    }

    let range: KeyRange
    let namespace: NamespaceID
    private let order: ScanOrder
    var position = Position.start

    init(_ range: KeyRange, _ namespace: NamespaceID, _ order: ScanOrder) {
        self.range = range
        self.namespace = namespace
        self.order = order
    }

    /// The range that must not have changed at the commit; `nil` if nothing was read.
    ///
    /// It is exact: an entry that another writer adds behind the last key delivered would not have changed what was
    /// delivered.
    var readRange: KeyRange? {
        switch position {
        case .start: nil
        case .key(let key) where order == .forward: KeyRange(lower: range.lower, upper: .included(key))
        case .key(let key): KeyRange(lower: .included(key), upper: range.upper)
        case .end: range
        }
    }
}
