public import ShaleBase

/// The outcome of an import for each key, in the order of the keys; for a table, in the order of its rows.
public struct ImportReport: Sendable {
    public enum Outcome: Sendable {
        case imported
        /// The namespace already has the same value.
        case unchanged
        /// The key was left unchanged for this reason.
        case skipped(reason: String)
        case failed(StorageError)
    }

    public struct Entry: Sendable {
        /// The key in the namespace; if it is not text, in hexadecimal after `0x`. For files without a key their name,
        /// for rows without a key their number.
        public let key: String
        public let outcome: Outcome
    }

    public internal(set) var entries: [Entry] = []

    /// The number of keys written.
    public var importedCount: Int { count { if case .imported = $0 { true } else { false } } }
    /// The number of keys that already had the value.
    public var unchangedCount: Int { count { if case .unchanged = $0 { true } else { false } } }
    /// The number of keys and files left unchanged.
    public var skippedCount: Int { count { if case .skipped = $0 { true } else { false } } }
    /// The number of keys and files that could not be imported.
    public var failedCount: Int { count { if case .failed = $0 { true } else { false } } }

    private func count(_ isCounted: (Outcome) -> Bool) -> Int {
        entries.count { isCounted($0.outcome) }
    }
}
