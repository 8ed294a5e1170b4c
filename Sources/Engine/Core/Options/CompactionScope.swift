public import ShaleBase

/// What a manual compaction is about.
public struct CompactionScope: Sendable, Hashable {
    /// Encoded: the first key, and the first behind; `nil`: no bound.
    let lower: [UInt8]?
    let upper: [UInt8]?

    private init(lower: [UInt8]?, upper: [UInt8]?) {
        self.lower = lower
        self.upper = upper
    }

    /// The whole store.
    public static let all = CompactionScope(lower: nil, upper: nil)

    /// Segments that hold keys of `range` in a namespace; of what else is in them more is done than asked for.
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

    /// Whether it reaches into the keys `smallest ... largest`.
    func overlaps(_ smallest: [UInt8], _ largest: [UInt8]) -> Bool {
        if let upper, !smallest.lexicographicallyPrecedes(upper) { return false }
        if let lower, largest.lexicographicallyPrecedes(lower) { return false }
        return true
    }
}
