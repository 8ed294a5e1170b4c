import Shale

/// One column of an index, or one criterion of an order: a field and a direction.
///
/// ```swift
/// .ascending(\.name)
/// .descending(\.age)
/// ```
/// Ascending order has nil first, then false before true, numbers by value with NaN last, text and binary values
/// bytewise, and dates by time. Descending order is its reverse.
public struct RecordOrder<Record: Codable & Sendable>: Sendable {
    let path: any AnyKeyPath & Sendable
    let isDescending: Bool

    /// Smaller values come first.
    public static func ascending<Value: FieldValue>(_ path: any KeyPath<Record, Value> & Sendable) -> RecordOrder {
        RecordOrder(path: path, isDescending: false)
    }

    /// Larger values come first.
    public static func descending<Value: FieldValue>(_ path: any KeyPath<Record, Value> & Sendable) -> RecordOrder {
        RecordOrder(path: path, isDescending: true)
    }
}

/// An index over one or several fields.
///
/// ```swift
/// RecordIndex("byCity", .ascending(\Person.city), .ascending(\.name))
/// RecordIndex("seat", .ascending(\Person.row), .ascending(\.seat), isUnique: true)
/// ```
/// An index over several fields serves conditions on its first fields: equality on some of them, then a range or a
/// prefix on the next one. It delivers records in its order and in the reverse.
public struct RecordIndex<Record: Codable & Sendable>: Sendable {
    public let name: String
    /// True if no two records may agree in all columns. Records with nil in a column are exempt.
    public let isUnique: Bool
    let columns: [RecordOrder<Record>]

    /// Describes an index.
    ///
    /// - Parameters:
    ///   - name: At most 255 bytes. Unique in the schema, and no name of a field with a unique constraint: those have
    ///     indexes of their own.
    ///   - columns: 1 to 8 fields of the schema, each at most once.
    ///   - isUnique: True if the index is also a constraint.
    public init(_ name: String, _ columns: RecordOrder<Record>..., isUnique: Bool = false) {
        self.name = name
        self.columns = columns
        self.isUnique = isUnique
    }
}
