import ShaleBase
import ShaleManifest

/// A range of user keys of one namespace, as a half-open range of encoded keys.
struct ScanPlan {
    let namespace: NamespaceID
    let lower: [UInt8]
    /// `nil`: to the end of the key space.
    let upper: [UInt8]?
    /// Leading bytes that all keys of the range share.
    let sharedPrefixCount: Int

    init(_ range: KeyRange, in namespace: NamespaceID) {
        self.namespace = namespace
        let start = EncodedKey.start(of: namespace)
        lower =
            switch range.lower {
            case .unbounded: start
            case .included(let key): start + key
            case .excluded(let key): start + key + [0]
            }
        upper =
            switch range.upper {
            case .unbounded: KeyRange.successor(ofPrefix: start)
            case .included(let key): start + key + [0]
            case .excluded(let key): start + key
            }
        var shared = 0
        if let upper { while shared < min(lower.count, upper.count), lower[shared] == upper[shared] { shared += 1 } }
        // Everything inside the namespace shares its id, although the bounds themselves may not.
        sharedPrefixCount = max(EncodedKey.namespaceWidth, shared)
    }

    var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }
}
