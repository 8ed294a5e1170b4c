public import ShaleBase

/// What a repair found and did.
public struct RepairReport: Sendable {
    /// Bytes that the store needs and that can't be had, in the order in which they were found.
    public internal(set) var losses: [RepairLoss] = []
    /// Whether everything that the manifest says could be read. Without it names, erasures and the list of live files are
    /// not known for certain, and so nothing is.
    public internal(set) var hasManifest = true
    /// Entries in the new store.
    public internal(set) var placedEntries: UInt64 = 0
    /// Of these, those that may have been deleted or overwritten by something that is lost. 0 unless
    /// ``RepairOptions/keepsUncertain`` was set.
    public internal(set) var uncertainEntries: UInt64 = 0
    /// Entries that were left out because something that is lost may have deleted or overwritten them.
    public internal(set) var withheldEntries: UInt64 = 0
    /// Entries of namespaces whose names are lost, by namespace; in the new store they are below `lost+found` if
    /// ``RepairOptions/keepsUncertain`` was set, and nowhere otherwise.
    public internal(set) var namelessEntries: [NamespaceID: UInt64] = [:]
    /// Bytes at the end of a log that were being written when the store last stopped, as an opening reports them.
    public internal(set) var tornBytes: UInt64 = 0
    /// Of the new store.
    public internal(set) var storedBytes: UInt64 = 0

    /// Nothing is lost: the new store has everything that the old one shows.
    public var isWhole: Bool { losses.isEmpty }
}

/// A stretch of a file that is lost, and what that means.
public struct RepairLoss: Sendable {
    /// Relative to the store's directory.
    public let file: String
    public let offset: UInt64
    /// How many bytes from there on are lost; `nil` when nobody can tell.
    public internal(set) var bytes: UInt64?
    /// What is wrong there.
    public internal(set) var reason: String
    /// Between which keys what is lost lay, both included; `nil` when it may have been any key of any namespace.
    public internal(set) var keys: LostKeys?
    /// Entries, deletions included, that are lost; `nil` when nobody can tell.
    public internal(set) var entries: UInt64?
    /// Older entries that this loss may have deleted or overwritten.
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
