import ShaleBase

/// Entries and the times at which they expire, within bounded memory: the soonest are kept, and ``horizon`` tells from
/// which time on entries may be missing.
struct ExpirySchedule {
    struct Key: Hashable, Sendable {
        let namespace: NamespaceID
        let bytes: [UInt8]
    }

    /// The bytes counted for each entry besides its key.
    private static let entryBytes = 64

    private let byteLimit: Int
    private var entries: [Key: ChangeRing.Expiry] = [:]
    private var byteCount = 0
    /// Not later than the earliest expiry that is kept.
    private var earliest = Int64.max
    /// Entries that expire at this time or later may be missing; `nil` if none is.
    private(set) var horizon: Int64?

    init(byteLimit: Int = 4 << 20) { self.byteLimit = byteLimit }

    var isEmpty: Bool { entries.isEmpty }

    /// The earliest time at which something may expire; `nil` if nothing will.
    var next: Int64? { entries.isEmpty ? horizon : min(earliest, horizon ?? .max) }

    mutating func set(_ key: Key, _ expiry: ChangeRing.Expiry?) {
        if entries.removeValue(forKey: key) != nil { byteCount -= ExpirySchedule.size(key) }
        guard let expiry, expiry.milliseconds < horizon ?? .max else { return }
        entries[key] = expiry
        byteCount += ExpirySchedule.size(key)
        earliest = min(earliest, expiry.milliseconds)
        if byteCount > byteLimit { dropLatestHalf() }
    }

    /// Adds the entries of `other`, except those with keys in `known`.
    mutating func merge(_ other: ExpirySchedule, except known: Set<Key>) {
        horizon = [horizon, other.horizon].compactMap(\.self).min()
        for (key, expiry) in other.entries where !known.contains(key) { set(key, expiry) }
    }

    mutating func remove(in namespace: NamespaceID, onlyPurgeable: Bool) {
        for (key, expiry) in entries where key.namespace == namespace && (expiry.isPurgeable || !onlyPurgeable) {
            set(key, nil)
        }
    }

    /// Removes the entries that have expired by `now` and returns their keys, the earliest first. O(entries) if there
    /// are any, otherwise O(1).
    mutating func takeDue(at now: Int64) -> [Key] {
        guard earliest <= now else { return [] }
        let due = entries.filter { $0.value.milliseconds <= now }.sorted {
            $0.value.milliseconds < $1.value.milliseconds
        }
        for (key, _) in due { set(key, nil) }
        earliest = entries.values.reduce(.max) { min($0, $1.milliseconds) }
        return due.map(\.key)
    }

    /// Keeps the half that expires first. Amortised O(log n) for each entry that was added.
    private mutating func dropLatestHalf() {
        let sorted = entries.sorted { $0.value.milliseconds < $1.value.milliseconds }
        let dropped = sorted.suffix(from: sorted.count / 2)
        guard let first = dropped.first else { return }
        horizon = first.value.milliseconds
        for (key, _) in dropped {
            entries[key] = nil
            byteCount -= ExpirySchedule.size(key)
        }
    }

    private static func size(_ key: Key) -> Int { key.bytes.count + entryBytes }
}
