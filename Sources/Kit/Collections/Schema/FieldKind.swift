/// The kind of a field's values. The numbers are stored with the schema; do not change.
///
/// The first four are the numbers of NetCacheSynchronizeKit, so that its table models can be imported.
public enum FieldKind: Int, Sendable, Hashable, Codable {
    /// Integers of any size up to 64 bits.
    case integer = 10001
    /// Text, compared by its UTF-8 bytes.
    case text = 10002
    /// `Double` and `Float`.
    case real = 10003
    /// Bytes, compared bytewise.
    case binary = 10004
    case boolean = 10005
    case date = 10006
    case uuid = 10007
}

/// The rule for a field's values. The numbers are those of NetCacheSynchronizeKit.
public enum FieldConstraint: Int, Sendable, Hashable, Codable {
    case none = 20001
    /// The value is never nil.
    case notNull = 20002
    /// No two records have the same value. Any number of records may have nil.
    case unique = 20003
    /// Both of them.
    case uniqueAndNotNull = 20004

    /// True if no two records may have the same value.
    public var isUnique: Bool { self == .unique || self == .uniqueAndNotNull }
    /// True if nil is refused.
    public var isRequired: Bool { self == .notNull || self == .uniqueAndNotNull }
}
