/// Ranges of keys that scans and removals take: Swift's ranges of any ``StoreKey`` (`"a"..<"b"`, `"a"..."b"`, `"a"...`,
/// `..<"b"`, `..."b"`) and ``KeyRange`` (`.all`, `.prefix(…)`).
///
/// The ends are compared bytewise. A range whose end lies before its start holds nothing.
public protocol KeyInterval {
    /// The same range in the engine's terms.
    var keyRange: KeyRange { get throws(StorageError) }
}

extension KeyRange: KeyInterval {
    public var keyRange: KeyRange { self }
}

extension Range: KeyInterval where Bound: StoreKey {
    public var keyRange: KeyRange {
        get throws(StorageError) {
            KeyRange(lower: .included(try lowerBound.keyBytes), upper: .excluded(try upperBound.keyBytes))
        }
    }
}

extension ClosedRange: KeyInterval where Bound: StoreKey {
    public var keyRange: KeyRange {
        get throws(StorageError) {
            KeyRange(lower: .included(try lowerBound.keyBytes), upper: .included(try upperBound.keyBytes))
        }
    }
}

extension PartialRangeFrom: KeyInterval where Bound: StoreKey {
    public var keyRange: KeyRange {
        get throws(StorageError) { KeyRange(lower: .included(try lowerBound.keyBytes), upper: .unbounded) }
    }
}

extension PartialRangeUpTo: KeyInterval where Bound: StoreKey {
    public var keyRange: KeyRange {
        get throws(StorageError) { KeyRange(lower: .unbounded, upper: .excluded(try upperBound.keyBytes)) }
    }
}

extension PartialRangeThrough: KeyInterval where Bound: StoreKey {
    public var keyRange: KeyRange {
        get throws(StorageError) { KeyRange(lower: .unbounded, upper: .included(try upperBound.keyBytes)) }
    }
}
