import ShaleBase
import ShaleManifest

/// A range of user keys of one namespace, as a half-open range of encoded keys. Reuses its memory for the next range.
struct ScanBounds: ~Copyable {
    private(set) var namespace = NamespaceID(rawValue: 0)
    private var lowerKey = ByteBuffer()
    private var upperKey = ByteBuffer()
    /// The number of leading bytes that all keys of the range share.
    private(set) var sharedPrefixCount = EncodedKey.namespaceWidth

    init() {}

    init(_ range: KeyRange, in namespace: NamespaceID) { set(range, in: namespace) }

    /// The smallest key of the range. Valid until the next ``set(_:in:)``.
    var lower: Bytes { lowerKey.bytes }

    /// The smallest key above the range; not above `lower` if the range is empty. Valid until the next ``set(_:in:)``.
    var upper: Bytes { upperKey.bytes }

    mutating func set(_ range: KeyRange, in namespace: NamespaceID) {
        self.namespace = namespace
        lowerKey.removeAll()
        lowerKey.append(namespace.rawValue.byteSwapped)
        switch range.lower {
        case .unbounded: break
        case .included(let key): lowerKey.append(key)
        case .excluded(let key):
            lowerKey.append(key)
            lowerKey.append(UInt8(0))
        }
        upperKey.removeAll()
        switch range.upper {
        // The next id exists, because ids end far below the largest number (DESIGN.md, "Limits").
        case .unbounded: upperKey.append((namespace.rawValue &+ 1).byteSwapped)
        case .included(let key):
            upperKey.append(namespace.rawValue.byteSwapped)
            upperKey.append(key)
            upperKey.append(UInt8(0))
        case .excluded(let key):
            upperKey.append(namespace.rawValue.byteSwapped)
            upperKey.append(key)
        }
        // All keys of the namespace share its id, although the bounds may not.
        sharedPrefixCount = max(EncodedKey.namespaceWidth, lower.sharedPrefixCount(with: upper))
    }
}
