public import ShaleBase

/// What an import did with each key, in the order of the keys; of a table, in that of its rows.
public struct ImportReport: Sendable {
    public enum Outcome: Sendable {
        case imported
        /// The same value is there already.
        case unchanged
        /// Left alone, and why.
        case skipped(reason: String)
        case failed(StorageError)
    }

    public struct Entry: Sendable {
        /// The key in the namespace, in hexadecimal behind `0x` if it is no text; of files that have none, their name; of rows,
        /// their number.
        public let key: String
        public let outcome: Outcome
    }

    public internal(set) var entries: [Entry] = []

    /// Keys that were written.
    public var importedCount: Int { count { if case .imported = $0 { true } else { false } } }
    /// Keys that had the value already.
    public var unchangedCount: Int { count { if case .unchanged = $0 { true } else { false } } }
    /// Keys and files that were left alone.
    public var skippedCount: Int { count { if case .skipped = $0 { true } else { false } } }
    /// Keys and files that could not be imported.
    public var failedCount: Int { count { if case .failed = $0 { true } else { false } } }

    private func count(_ isCounted: (Outcome) -> Bool) -> Int {
        entries.count { isCounted($0.outcome) }
    }
}
