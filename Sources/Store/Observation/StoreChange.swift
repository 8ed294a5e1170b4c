public import ShaleBase

/// One change of what is observed: see ``StoreChanges``.
public enum StoreChange: Sendable, Hashable {
    /// A value was set. The change does not hold it: what a read finds is this value, or a newer one, of which a later
    /// change tells.
    case set(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// A key was removed, whether or not it was there.
    case removed(EntryKey, in: Namespace, sequence: SequenceNumber)
    /// All purgeable entries of the namespace went.
    case purged(Namespace, sequence: SequenceNumber)
    /// All entries of the namespace went; it stays.
    case truncated(Namespace, sequence: SequenceNumber)
    /// The namespace went with all its entries. What is written to its name afterwards is told as well.
    case dropped(Namespace, sequence: SequenceNumber)
    /// Changes with sequences from … to, both included, may be missing here: read anew what matters.
    case gap(from: SequenceNumber, to: SequenceNumber)

    /// The change's place in the order of writing; of a gap, the last one that it covers. Changes that were written
    /// together have neighbouring sequences.
    public var sequence: SequenceNumber {
        switch self {
        case .set(_, _, let sequence), .removed(_, _, let sequence), .purged(_, let sequence),
            .truncated(_, let sequence), .dropped(_, let sequence), .gap(_, let sequence):
            sequence
        }
    }

    /// The key, of changes of one.
    public var key: EntryKey? {
        switch self {
        case .set(let key, _, _), .removed(let key, _, _): key
        case .purged, .truncated, .dropped, .gap: nil
        }
    }

    /// The namespace; `nil` of a gap.
    public var namespace: Namespace? {
        switch self {
        case .set(_, let namespace, _), .removed(_, let namespace, _), .purged(let namespace, _),
            .truncated(let namespace, _), .dropped(let namespace, _):
            namespace
        case .gap: nil
        }
    }
}
