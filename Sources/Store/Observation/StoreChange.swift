public import ShaleBase

/// One observed change. See ``StoreChanges``.
public enum StoreChange: Sendable, Hashable {
    /// A value was set. The change does not contain it. A read finds this value or a newer one, for which another
    /// change follows.
    case set(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// A key was removed, whether or not it existed.
    case removed(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// All purgeable entries of the namespace were removed.
    case purged(Namespace, sequence: SequenceNumber)
    /// All entries of the namespace were removed; the namespace still exists.
    case truncated(Namespace, sequence: SequenceNumber)
    /// The namespace was removed with all its entries. Later writes to its name are delivered too.
    case dropped(Namespace, sequence: SequenceNumber)
    /// Changes with the sequences `from` … `to`, both included, may be missing. Read again the values that matter.
    case gap(from: SequenceNumber, to: SequenceNumber)

    /// The change's position in the order of writing; for a gap, the last one that it covers. Changes written together
    /// have consecutive sequences.
    public var sequence: SequenceNumber {
        switch self {
        case .set(_, _, let sequence), .removed(_, _, let sequence), .purged(_, let sequence),
            .truncated(_, let sequence), .dropped(_, let sequence), .gap(_, let sequence):
            sequence
        }
    }

    /// The key; `nil` for changes of a whole namespace and for gaps.
    public var key: EntryKey? {
        switch self {
        case .set(let key, _, _), .removed(let key, _, _): key
        case .purged, .truncated, .dropped, .gap: nil
        }
    }

    /// The namespace; `nil` for a gap.
    public var namespace: Namespace? {
        switch self {
        case .set(_, let namespace, _), .removed(_, let namespace, _), .purged(let namespace, _),
            .truncated(let namespace, _), .dropped(let namespace, _):
            namespace
        case .gap: nil
        }
    }
}
