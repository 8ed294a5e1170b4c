import ShaleBase

/// The result of comparing two namespaces: ``NamespaceCopy/compare(_:with:progress:)``.
public struct NamespaceDifference: Sendable, Hashable {
    /// The number of keys that are kept of each kind of difference.
    public static let keysMax = 16

    /// The number of entries of the first side.
    public private(set) var firstCount = 0
    /// The number of entries of the second side.
    public private(set) var secondCount = 0
    /// A digest of the keys and values of the first side, in order. Not cryptographic.
    public private(set) var firstDigest: UInt64 = 0
    /// A digest of the keys and values of the second side, in order.
    public private(set) var secondDigest: UInt64 = 0
    /// The number of keys that differ in any way.
    public private(set) var count = 0
    /// The first keys that only the first side has.
    public internal(set) var onlyInFirst: [EntryKey] = []
    /// The first keys that only the second side has.
    public internal(set) var onlyInSecond: [EntryKey] = []
    /// The first keys that both sides have with different entries.
    public internal(set) var differing: [EntryKey] = []

    /// True if both sides have the same entries.
    public var isEqual: Bool { count == 0 && firstDigest == secondDigest && firstCount == secondCount }

    mutating func note(_ key: EntryKey, onlyIn kind: WritableKeyPath<NamespaceDifference, [EntryKey]>) {
        count += 1
        if self[keyPath: kind].count < NamespaceDifference.keysMax { self[keyPath: kind].append(key) }
    }

    mutating func addToFirst(_ entry: CopiedEntry) {
        firstCount += 1
        firstDigest = NamespaceDifference.extended(firstDigest, entry)
    }

    mutating func addToSecond(_ entry: CopiedEntry) {
        secondCount += 1
        secondDigest = NamespaceDifference.extended(secondDigest, entry)
    }

    private static func extended(_ digest: UInt64, _ entry: CopiedEntry) -> UInt64 {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: digest)
        return (bytes + entry.digestBytes).checksum
    }
}
