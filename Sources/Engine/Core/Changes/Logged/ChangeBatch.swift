public import ShaleBase

extension Engine {
    /// The changes that became visible in one step: a batch, or a control operation. See ``ChangeLog``.
    public struct ChangeBatch: Sendable, Hashable {
        /// The sequences of the changes. The upper bound is the sequence to continue from.
        public let sequences: ClosedRange<SequenceNumber>
        /// In the order of their sequences. Empty for a gap.
        public let changes: [Change]
        /// True if changes with these sequences may be missing, because what recorded them is deleted. Read the state
        /// of a newer engine in their place.
        public let isGap: Bool

        init(_ changes: [Change], _ sequences: ClosedRange<SequenceNumber>) {
            self.changes = changes
            self.sequences = sequences
            isGap = false
        }

        init(gap sequences: ClosedRange<SequenceNumber>) {
            changes = []
            self.sequences = sequences
            isGap = true
        }
    }

    /// One change in a ``ChangeBatch``.
    public struct Change: Sendable, Hashable {
        public enum Kind: Sendable, Hashable {
            /// A value was set. The change does not contain the value.
            case set
            /// The key was removed, whether or not it existed.
            case removed
            /// All purgeable entries of the namespace were removed.
            case purged
            /// All entries of the namespace were removed.
            case truncated
            /// The namespace was dropped.
            case dropped
            /// The options of the namespace were replaced.
            case optionsChanged
        }

        public let sequence: SequenceNumber
        public let kind: Kind
        public let namespace: NamespaceID
        /// The name of the namespace in the catalogue.
        public let name: [UInt8]
        /// The key. Empty for changes of a whole namespace.
        public let key: [UInt8]
    }
}
