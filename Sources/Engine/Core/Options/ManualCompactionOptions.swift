public import ShaleBase

/// The options of a manual compaction.
public struct ManualCompactionOptions: Sendable, Hashable {
    /// True to rewrite data whose codec or zstd level differs from ``Engine/Options/lastCompression``.
    ///
    /// If false, only a different codec counts. Segments record their compression, so the finished part of an earlier
    /// call is not repeated.
    public var recompresses = false

    /// The disk space that the compaction may take in addition to the store's, in bytes. `nil`: the bound of a job,
    /// about 800 MiB with the default ``Engine/Options/segmentBytes``.
    ///
    /// With a bound, ranges are compacted one after the other, and replaced files are deleted before the next range. If
    /// the store can't be compacted within the bound, the call throws `.invalidArgument` before it writes anything,
    /// with the space that it needs. Concurrent writes, and replaced segments that readers hold, take additional space.
    public var extraDiskBytesMax: UInt64?

    public init() {}
}

/// The part of the store that a manual compaction covers.
public struct CompactionScope: Sendable, Hashable {
    /// Encoded keys: the first key of the range, and the first key after it; `nil` for no bound.
    let lower: [UInt8]?
    let upper: [UInt8]?

    init(lower: [UInt8]?, upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// The whole store.
    public static let all = CompactionScope(lower: nil, upper: nil)

    /// Returns the scope of all segments that hold keys of `range` in a namespace.
    ///
    /// Other keys in these segments are compacted too.
    public static func keys(_ range: KeyRange = .all, in namespace: NamespaceID) -> CompactionScope {
        let start = EncodedKey.start(of: namespace)
        let end = EncodedKey.start(of: NamespaceID(rawValue: namespace.rawValue + 1))
        let lower =
            switch range.lower {
            case .unbounded: start
            case .included(let key): start + key
            case .excluded(let key): start + key + [0]
            }
        let upper =
            switch range.upper {
            case .unbounded: end
            case .included(let key): start + key + [0]
            case .excluded(let key): start + key
            }
        return CompactionScope(lower: lower, upper: upper)
    }

    /// True if the scope contains any of the keys `smallest ... largest`.
    func overlaps(_ smallest: [UInt8], _ largest: [UInt8]) -> Bool {
        if let upper, !smallest.lexicographicallyPrecedes(upper) { return false }
        if let lower, largest.lexicographicallyPrecedes(lower) { return false }
        return true
    }
}
