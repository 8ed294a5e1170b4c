import Shale

/// A range of keys: from `lower`, included, to `upper`, excluded; `nil` for no end.
struct ByteRange: Sendable, Hashable {
    var lower: [UInt8]
    var upper: [UInt8]?

    /// All keys that start with `prefix`.
    static func prefix(_ prefix: [UInt8]) -> ByteRange {
        ByteRange(lower: prefix, upper: KeyRange.successor(ofPrefix: prefix))
    }

    /// The one key.
    static func key(_ key: [UInt8]) -> ByteRange { ByteRange(lower: key, upper: key + [0]) }

    var isEmpty: Bool { upper.map { !lower.lexicographicallyPrecedes($0) } ?? false }

    var keyRange: KeyRange {
        KeyRange(lower: .included(lower), upper: upper.map { .excluded($0) } ?? .unbounded)
    }

    func intersection(_ other: ByteRange) -> ByteRange {
        let lower = lower.lexicographicallyPrecedes(other.lower) ? other.lower : lower
        guard let a = upper, let b = other.upper else { return ByteRange(lower: lower, upper: upper ?? other.upper) }
        return ByteRange(lower: lower, upper: a.lexicographicallyPrecedes(b) ? a : b)
    }
}

/// The ranges of a column that conditions allow, behind the equal columns before it.
enum ColumnRange {
    /// Returns the keys of an index in which a column equals a value.
    static func equal(
        _ base: [UInt8], _ value: CompositeKey.Element, isDescending: Bool
    ) -> [UInt8] {
        var key = IndexKey(base)
        key.append(value, isDescending: isDescending)
        return key.bytes
    }

    /// Returns the keys in which a column can satisfy a comparison. Nil satisfies none. Of cut values, and of values
    /// like the bound's beginning, the range has all: the condition itself decides.
    static func compare(
        _ base: [UInt8], _ comparison: ComparisonOperator, _ value: CompositeKey.Element, isDescending: Bool
    ) -> ByteRange {
        let all = ByteRange.prefix(base)
        let notNil = ColumnRange.notNil(base, isDescending: isDescending)
        var bound = IndexKey(base)
        let isCut = isLong(value)
        if isCut {
            bound.append(prefix: content(value), isText: isText(value), isDescending: isDescending)
        } else {
            bound.append(value, isDescending: isDescending)
        }
        let end = KeyRange.successor(ofPrefix: bound.bytes)
        // In a descending column larger values have smaller keys.
        let wantsLargerKeys = (comparison == .greater || comparison == .greaterOrEqual) != isDescending
        let includesEqual = comparison == .greaterOrEqual || comparison == .lessOrEqual || isCut
        let range =
            wantsLargerKeys
            ? ByteRange(lower: includesEqual ? bound.bytes : end ?? bound.bytes, upper: all.upper)
            : ByteRange(lower: base, upper: includesEqual ? end : bound.bytes)
        return range.intersection(notNil)
    }

    /// Returns the keys in which a column's text begins with `prefix`.
    static func prefix(_ base: [UInt8], _ prefix: [UInt8], isDescending: Bool) -> ByteRange {
        var key = IndexKey(base)
        key.append(prefix: prefix, isText: true, isDescending: isDescending)
        return .prefix(key.bytes)
    }

    /// Returns the keys in which a column is not nil: nil is the first of all values, and takes one byte.
    static func notNil(_ base: [UInt8], isDescending: Bool) -> ByteRange {
        var key = IndexKey(base)
        key.append(.null, isDescending: isDescending)
        let all = ByteRange.prefix(base)
        return isDescending
            ? ByteRange(lower: base, upper: key.bytes)
            : ByteRange(lower: KeyRange.successor(ofPrefix: key.bytes) ?? key.bytes, upper: all.upper)
    }

    private static func isLong(_ value: CompositeKey.Element) -> Bool { content(value).count > IndexKey.cutBytes }

    private static func isText(_ value: CompositeKey.Element) -> Bool {
        if case .string = value { true } else { false }
    }

    private static func content(_ value: CompositeKey.Element) -> [UInt8] {
        switch value {
        case .string(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        default: []
        }
    }
}
