public import ShaleBase

/// A rule by which purgeable entries of a namespace are removed automatically, stored with its ``NamespaceOptions``.
///
/// It is applied in the background, every ``Store/Options/purgeInterval``, and by ``Store/purge(_:by:progress:)`` with
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

    /// The time at which ``maximumBytes`` is enforced.
    public enum Enforcement: UInt8, Sendable, Hashable {
        /// Every ``Store/Options/purgeInterval``, and by a purge with `.policies`. Until then a namespace may take any
        /// number of bytes more.
        case atIntervals = 0
        /// With each write, too: the purgeable entries never take more than ``maximumBytes``.
        ///
        /// - A write that would exceed the capacity removes entries first, in ``order``, down to ``trimTo``; then it
        ///   writes. Meanwhile other writes of purgeable entries to the namespace wait. Reads don't.
        /// - The entries are read at most once for each eighth of (1 − ``trimTo``) × ``maximumBytes`` that is written.
        ///   Entries may be removed from seven eighths of that distance on, because a write that replaces an entry
        ///   counts like one that adds an entry until the entries are read again.
        /// - A write, or the part of a batch or transaction that belongs to the namespace, throws `.invalidArgument`
        ///   if it takes more than the capacity by itself. Nothing is written then.
        ///
        /// Writes that bypass the store (``Store/engine``) are not counted until the entries are read the next time,
        /// nor is a write that runs at the same time as the call that sets this policy.
        case onWrite = 1
    }

    /// Removes entries not written for this long; with ``Order/leastRecentlyUsedFirst``, entries neither written nor
    /// read.
    ///
    /// `nil` means no limit of age. Stored in milliseconds.
    public var maximumAge: Duration?

    /// Removes entries in ``order`` if the keys and values of the purgeable entries take more bytes than this,
    /// uncompressed. `nil` means no limit of size.
    ///
    /// With ``Enforcement/atIntervals`` a namespace may hold more until the next run has ended. Each entry counts 4
    /// bytes more than its key and its stored value.
    public var maximumBytes: Int64?

    /// The share of ``maximumBytes`` that remains after entries were removed for their size, 0 … 1, and at most 0.9
    /// with ``Enforcement/onWrite``. Default ½.
    public var trimTo: Double

    public var order: Order

    /// The time at which ``maximumBytes`` is enforced. Default ``Enforcement/atIntervals``.
    public var enforcement: Enforcement

    public init(
        maximumAge: Duration? = nil, maximumBytes: Int64? = nil, trimTo: Double = 0.5, order: Order = .oldestFirst,
        enforcement: Enforcement = .atIntervals
    ) {
        self.maximumAge = maximumAge
        self.maximumBytes = maximumBytes
        self.trimTo = trimTo
        self.order = order
        self.enforcement = enforcement
    }

    /// Removes nothing automatically. The policy of a new namespace.
    public static let manual = PurgePolicy()

    /// Returns a policy that removes entries older than `age`.
    public static func age(_ age: Duration) -> PurgePolicy { PurgePolicy(maximumAge: age) }

    /// Returns a policy that removes the oldest entries above `bytes`.
    public static func capacity(
        _ bytes: Int64, trimTo: Double = 0.5, enforcement: Enforcement = .atIntervals
    ) -> PurgePolicy {
        PurgePolicy(maximumBytes: bytes, trimTo: trimTo, enforcement: enforcement)
    }

    /// Returns a policy that removes the least recently used entries above `bytes`.
    public static func leastRecentlyUsed(
        _ bytes: Int64, trimTo: Double = 0.5, enforcement: Enforcement = .atIntervals
    ) -> PurgePolicy {
        PurgePolicy(
            maximumBytes: bytes, trimTo: trimTo, order: .leastRecentlyUsedFirst, enforcement: enforcement)
    }

    /// Above this, the entries would be read again after too few writes.
    private static let enforcedTrimMax = 0.9

    /// True if the policy removes entries automatically.
    public var isAutomatic: Bool { maximumAge != nil || maximumBytes != nil }

    func check() throws(StorageError) {
        guard maximumAge.map({ $0 > .zero }) ?? true, maximumBytes.map({ $0 >= 0 }) ?? true, 0...1 ~= trimTo else {
            throw .invalid("a purge policy needs maximumAge above 0, maximumBytes of at least 0 and trimTo in 0...1")
        }
        guard enforcement == .atIntervals || (maximumBytes != nil && trimTo <= PurgePolicy.enforcedTrimMax) else {
            throw .invalid("a purge policy enforced on writing needs maximumBytes, and trimTo of at most 0.9")
        }
    }
}

/// The result of applying purge policies in the background or with a write (``PurgePolicy/Enforcement/onWrite``).
public enum PurgeEvent: Sendable {
    /// Entries or registered files were removed. Compaction frees the disk space of entries later; the space of files
    /// (``PurgeReport/outside``) is free.
    case applied(PurgeReport)
    /// Some policies could not be applied, or some registered files could not be removed. The rest was done; the next
    /// interval tries again.
    case failed(StorageError)
}

/// The rule that selects what a purge removes.
public enum PurgeRule: Sendable, Hashable {
    /// Removes all purgeable entries, and cleans up all registered paths and handlers.
    case everything
    /// Removes only the entries that each namespace's ``PurgePolicy`` selects and the files that the limits of each
    /// ``PurgeablePath`` select.
    case policies
}

extension Store {
    /// The results of applying policies in the background and with writes.
    ///
    /// Each call returns a new stream, which ends when the store is closed. If a reader falls behind, its stream keeps
    /// the newest 64 events.
    public var purgeEvents: AsyncStream<PurgeEvent> { core.purgeEvents.stream() }
}

/// An automatic policy in the form stored in the catalogue. On disk, do not change: age i64 (milliseconds, 0 none) |
/// bytes i64 (−1 none) | trim to (binary64) | order u8 | since i64, the time when the namespace got an automatic
/// policy. ``CatalogueOptions`` stores the enforcement in a field of its own.
struct StoredPolicy: Equatable, Sendable {
    static let byteCount = 33

    var policy: PurgePolicy
    var since: Int64

    init(_ policy: PurgePolicy, since: Int64) {
        self.policy = policy
        // Rounded as decoding will return it.
        self.policy.maximumAge = policy.maximumAge.map { .milliseconds(max(1, $0.wholeMilliseconds)) }
        self.since = since
    }

    func encode(into buffer: inout ByteBuffer) {
        buffer.append(policy.maximumAge?.wholeMilliseconds ?? 0)
        buffer.append(policy.maximumBytes ?? -1)
        buffer.append(policy.trimTo.bitPattern)
        buffer.append(policy.order.rawValue)
        buffer.append(since)
    }

    /// `nil` for an order of a newer version.
    init?(_ field: inout ByteReader) throws(ParseFailure) {
        let age = try field.i64("the age")
        let bytes = try field.i64("the capacity")
        let trimTo = Double(bitPattern: try field.u64("the trim"))
        let order = PurgePolicy.Order(rawValue: try field.u8("the order"))
        since = try field.i64("the policy's start")
        guard age >= 0, bytes >= -1, 0...1 ~= trimTo else { throw ParseFailure("a purge policy is out of range") }
        guard let order else { return nil }
        policy = PurgePolicy(
            maximumAge: age == 0 ? nil : .milliseconds(age), maximumBytes: bytes < 0 ? nil : bytes, trimTo: trimTo,
            order: order)
    }
}
