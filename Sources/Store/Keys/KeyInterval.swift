/// A range of keys for scans and removals.
///
/// Swift's ranges of any ``StoreKey`` conform (`"a"..<"b"`, `"a"..."b"`, `"a"...`, `..<"b"`, `..."b"`), and so does
/// ``KeyRange`` (`.all`, `.prefix(…)`). Keys are compared bytewise. A range whose end lies before its start is empty.
public protocol KeyInterval {
    /// The range as the engine represents it.
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
