public import ShaleBase

/// The result of a repair.
public struct RepairReport: Sendable {
    /// The bytes that the store needs and that can't be read, in the order in which they were found.
    public internal(set) var losses: [RepairLoss] = []
    /// True if the whole manifest could be read. Otherwise names, erasures and the list of live files are uncertain,
    /// and so is every entry.
    public internal(set) var hasManifest = true
    /// The number of entries in the new store.
    public internal(set) var placedEntries: UInt64 = 0
    /// The number of those entries that a lost part may have deleted or overwritten. 0 unless
    /// ``RepairOptions/keepsUncertain`` is set.
    public internal(set) var uncertainEntries: UInt64 = 0
    /// The number of entries left out because a lost part may have deleted or overwritten them.
    public internal(set) var withheldEntries: UInt64 = 0
    /// The number of entries in namespaces whose names are lost, by namespace.
    ///
    /// With ``RepairOptions/keepsUncertain`` they are in the new store below `lost+found`; otherwise they are left out.
    public internal(set) var namelessEntries: [NamespaceID: UInt64] = [:]
    /// The number of bytes at the end of a log that were being written when the store last stopped, as an opening
    /// reports them.
    public internal(set) var tornBytes: UInt64 = 0
    /// The stored bytes of the new store.
    public internal(set) var storedBytes: UInt64 = 0

    /// True if nothing is lost: the new store contains everything that the old one shows.
    public var isWhole: Bool { losses.isEmpty }
}

/// A lost range of a file and its consequences.
public struct RepairLoss: Sendable {
    /// The file, relative to the store's directory.
    public let file: String
    public let offset: UInt64
    /// The number of bytes lost from `offset` on; `nil` if unknown.
    public internal(set) var bytes: UInt64?
    /// The reason of the loss.
    public internal(set) var reason: String
    /// The range of keys that the lost part held; `nil` if it may have held any key of any namespace.
    public internal(set) var keys: LostKeys?
    /// The number of lost entries, including deletions; `nil` if unknown.
    public internal(set) var entries: UInt64?
    /// The number of older entries that this loss may have deleted or overwritten.
    public internal(set) var doubtedEntries: UInt64 = 0
}

/// A range of keys, both ends included.
public struct LostKeys: Sendable, Hashable {
    public let firstNamespace: NamespaceID
    public let firstKey: [UInt8]
    public let lastNamespace: NamespaceID
    public internal(set) var lastKey: [UInt8]

    init(_ first: [UInt8], _ last: [UInt8]) {
        (firstNamespace, firstKey) = LostKeys.parts(first)
        (lastNamespace, lastKey) = LostKeys.parts(last)
    }

    private static func parts(_ encoded: [UInt8]) -> (NamespaceID, [UInt8]) {
        let id = encoded.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return (NamespaceID(rawValue: id), Array(encoded.dropFirst(4)))
    }
}
