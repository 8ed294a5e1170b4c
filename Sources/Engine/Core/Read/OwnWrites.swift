import ShaleBase

/// A write of a transaction that is not committed yet.
struct OwnWrite {
    /// `nil` for a removal.
    let value: [UInt8]?
    let options: PutOptions

    /// The removal of a key.
    static let removal = OwnWrite(value: nil, options: PutOptions())

    /// Returns the write as a read finds it now: a removal if it has expired.
    func present(at clock: EngineClock) -> OwnWrite {
        guard let expiry = options.expiresAtMilliseconds, expiry <= clock.now else { return self }
        return .removal
    }
}

/// An own write with its user key, as a scan finds it.
struct OwnEntry {
    let key: [UInt8]
    /// `nil` if the key is removed, or the entry has expired.
    let value: [UInt8]?
    let options: PutOptions
}

/// The writes of a transaction that is not committed yet, by encoded key and in the order of the keys.
///
/// Writing costs one hash. The keys are put in order when a scan begins: O(writes) if keys were added since the last
/// scan, plus O(log writes) and the writes in the range.
struct OwnWrites {
    private var writes: [[UInt8]: OwnWrite] = [:]
    /// All keys of `writes` in ascending order, except those in `added`.
    private var ordered: [[UInt8]] = []
    /// The keys that were added since the last scan, in no order.
    private var added: [[UInt8]] = []

    subscript(key: [UInt8]) -> OwnWrite? { writes[key] }

    /// The bytes of encoded keys and values of the purgeable entries, by namespace.
    var purgeableBytes: [NamespaceID: Int64] {
        var bytes: [NamespaceID: Int64] = [:]
        for (key, write) in writes where write.options.isPurgeable {
            guard let value = write.value else { continue }
            let id = unsafe key.withUnsafeBytes { EncodedKey.namespace(of: unsafe Bytes($0)) }
            bytes[id, default: 0] += Int64(key.count + value.count)
        }
        return bytes
    }

    mutating func set(_ write: OwnWrite, forKey key: [UInt8]) {
        if writes.updateValue(write, forKey: key) == nil { added.append(key) }
    }

    /// Returns the writes in a range of user keys as of now, in ascending order of their keys.
    mutating func entries(
        over range: KeyRange, in namespace: NamespaceID, at clock: EngineClock
    ) -> [OwnEntry] {
        if writes.isEmpty { return [] }
        putInOrder()
        let bounds = ScanBounds(range, in: namespace)
        let (lower, upper) = (bounds.lower.array(), bounds.upper.array())
        var entries: [OwnEntry] = []
        for key in ordered[firstIndex(notBelow: lower)...] {
            guard key.lexicographicallyPrecedes(upper) else { break }
            guard let write = writes[key]?.present(at: clock) else { continue }
            let userKey = Array(key.dropFirst(EncodedKey.namespaceWidth))
            entries.append(OwnEntry(key: userKey, value: write.value, options: write.options))
        }
        return entries
    }

    private mutating func putInOrder() {
        guard !added.isEmpty else { return }
        added.sort { $0.lexicographicallyPrecedes($1) }
        var merged: [[UInt8]] = []
        merged.reserveCapacity(ordered.count + added.count)
        var (left, right) = (ordered[...], added[...])
        while let first = left.first, let second = right.first {
            merged.append(first.lexicographicallyPrecedes(second) ? left.removeFirst() : right.removeFirst())
        }
        merged += left
        merged += right
        ordered = merged
        added = []
    }

    private func firstIndex(notBelow key: [UInt8]) -> Int {
        var (low, high) = (0, ordered.count)
        while low < high {
            let middle = (low + high) / 2
            if ordered[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
        }
        return low
    }
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
