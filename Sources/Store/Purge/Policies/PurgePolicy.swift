import ShaleBase

/// A rule by which purgeable entries of a namespace are removed automatically, stored with its ``NamespaceOptions``.
///
/// It is applied in the background, every ``StoreOptions/purgeInterval``, and by ``Store/purge(_:by:progress:)`` with
/// `.policies`.
///
/// Entries that are not purgeable are never removed, and their size does not count. A policy differs from a time to
/// live (``NamespaceOptions/timeToLive``), which is exact and applies to every entry.
///
/// A namespace with an automatic policy stores the time of writing with each value, which takes 12 bytes. Entries
/// written before it had a policy count as written when the policy was set.
public struct PurgePolicy: Sendable, Hashable {
    /// The order in which entries are removed.
    public enum Order: UInt8, Sendable, Hashable {
        /// Removes the entries with the oldest write first.
        case oldestFirst = 0
        /// Removes the entries with the oldest write or read first. Approximate: see
        /// Shale.docc, "How purge policies work".
        case leastRecentlyUsedFirst = 1
    }

    /// Removes entries not written for this long; with ``Order/leastRecentlyUsedFirst``, entries neither written nor
    /// read.
    ///
    /// `nil` means no limit of age. Stored in milliseconds.
    public var maximumAge: Duration?

    /// Removes entries in ``order`` if the keys and values of the purgeable entries take more bytes than this,
    /// uncompressed. `nil` means no limit of size.
    public var maximumBytes: Int64?

    /// The share of ``maximumBytes`` that the entries are then reduced to, 0 … 1. Default ½.
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

    /// Removes nothing automatically. The policy of a new namespace.
    public static let manual = PurgePolicy()

    /// Returns a policy that removes entries older than `age`.
    public static func age(_ age: Duration) -> PurgePolicy { PurgePolicy(maximumAge: age) }

    /// Returns a policy that removes the oldest entries above `bytes`.
    public static func capacity(_ bytes: Int64, trimTo: Double = 0.5) -> PurgePolicy {
        PurgePolicy(maximumBytes: bytes, trimTo: trimTo)
    }

    /// Returns a policy that removes the least recently used entries above `bytes`.
    public static func leastRecentlyUsed(_ bytes: Int64, trimTo: Double = 0.5) -> PurgePolicy {
        PurgePolicy(maximumBytes: bytes, trimTo: trimTo, order: .leastRecentlyUsedFirst)
    }

    /// True if the policy removes entries automatically.
    public var isAutomatic: Bool { maximumAge != nil || maximumBytes != nil }

    func check() throws(StorageError) {
        guard maximumAge.map({ $0 > .zero }) ?? true, maximumBytes.map({ $0 >= 0 }) ?? true, 0...1 ~= trimTo else {
            throw .invalid("a purge policy needs maximumAge above 0, maximumBytes of at least 0 and trimTo in 0...1")
        }
    }
}
