import ShaleBase

/// Which purgeable entries of a namespace go by themselves, and when: kept with the namespace's ``NamespaceOptions``. Applied
/// in the background, every ``StoreOptions/purgeInterval``, and by ``Store/purge(_:by:progress:)`` with `.policies`.
///
/// Entries that are not purgeable are never taken, and don't count. A time to live is no policy: see
/// ``NamespaceOptions/timeToLive``, which is exact and takes every entry.
///
/// A namespace with an automatic policy keeps the time of writing with each value, which takes 12 bytes. Entries from before it
/// had one count as written when it got it.
public struct PurgePolicy: Sendable, Hashable {
    /// What goes first.
    public enum Order: UInt8, Sendable, Hashable {
        /// What was written before the rest.
        case oldestFirst = 0
        /// What was neither written nor read for longer than the rest. Approximate: see DESIGN.md, "Purge policies".
        case leastRecentlyUsedFirst = 1
    }

    /// Entries go that were not written (or, by ``Order/leastRecentlyUsedFirst``, not used) for so long; `nil` = age does
    /// not matter. Kept in milliseconds.
    public var maximumAge: Duration?

    /// When the keys and values of the purgeable entries take more bytes than this, uncompressed, the first of the
    /// ``order`` go; `nil` = size does not matter.
    public var maximumBytes: Int64?

    /// To which share of ``maximumBytes`` they are brought down then, 0 … 1. Default ½.
    public var trimTo: Double

    public var order: Order

    public init(
        maximumAge: Duration? = nil, maximumBytes: Int64? = nil, trimTo: Double = 0.5, order: Order = .oldestFirst
    ) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
        self.trimTo = trimTo
        self.order = order
    }

    /// Nothing goes by itself: what a namespace starts with.
    public static let manual = PurgePolicy()

    /// What is older than `age` goes.
    public static func age(_ age: Duration) -> PurgePolicy { PurgePolicy(maximumAge: age) }

    /// Above so many bytes the oldest go.
    public static func capacity(_ bytes: Int64, trimTo: Double = 0.5) -> PurgePolicy {
        PurgePolicy(maximumBytes: bytes, trimTo: trimTo)
    }

    /// Above so many bytes the least recently used go.
    public static func leastRecentlyUsed(_ bytes: Int64, trimTo: Double = 0.5) -> PurgePolicy {
        PurgePolicy(maximumBytes: bytes, trimTo: trimTo, order: .leastRecentlyUsedFirst)
    }

    /// Whether anything goes without being asked for.
    public var isAutomatic: Bool { maximumAge != nil || maximumBytes != nil }

    func check() throws(StorageError) {
        guard maximumAge.map({ $0 > .zero }) ?? true, maximumBytes.map({ $0 >= 0 }) ?? true, 0...1 ~= trimTo else {
            throw .invalid("a limit of a purge policy is out of range")
        }
    }
}
