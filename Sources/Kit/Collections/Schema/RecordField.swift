import Shale

/// A field of a record: the name that the stored document uses, its key path, and its constraint.
///
/// ```swift
/// RecordField("email", \Person.email, .unique)
/// ```
/// `name` is the name by which the record type encodes the property; opening a collection checks that.
public struct RecordField<Record: Codable & Sendable>: Sendable {
    public let name: String
    public let kind: FieldKind
    public let constraint: FieldConstraint
    /// True if the record type allows nil.
    public let isNullable: Bool

    let path: any AnyKeyPath & Sendable
    /// True for a stored property of a struct.
    let isStored: Bool
    let element: @Sendable (Record) -> CompositeKey.Element
    /// Copies the value from the first record to the second; `nil` if the property can't be set.
    let copy: (@Sendable (Record, inout Record) -> Void)?

    /// Describes a field.
    ///
    /// - Parameters:
    ///   - name: The name in the stored document. At most 255 bytes, and unique in the schema. For a stored property,
    ///     the document has the property's value under this name: projections and the command read it there.
    ///   - path: The property. A computed property works if it depends on the record only.
    ///   - constraint: The rule that every insertion and change is checked against.
    public init<Value: FieldValue>(
        _ name: String, _ path: any KeyPath<Record, Value> & Sendable, _ constraint: FieldConstraint = .none
    ) {
        self.name = name
        self.path = path
        self.constraint = constraint
        kind = Value.fieldKind
        isNullable = Value.isNullable
        let offset = MemoryLayout<Record>.offset(of: path)
        isStored = offset != nil
        if let offset {
            element = RecordField.element(Value.self, at: offset)
        } else {
            element = { $0[keyPath: path].fieldElement }
        }
        guard let writable = path as? WritableKeyPath<Record, Value> else {
            copy = nil
            return
        }
        // The same object as `path`, which is Sendable; a cast can't say so.
        nonisolated(unsafe) let target = writable
        copy = { unsafe $1[keyPath: target] = $0[keyPath: path] }
    }

    /// Describes a field of records that are no Swift type of the application. The key path stands for the field in
    /// orders.
    init(
        _ name: String, _ kind: FieldKind, _ constraint: FieldConstraint, isNullable: Bool,
        path: any AnyKeyPath & Sendable, element: @escaping @Sendable (Record) -> CompositeKey.Element
    ) {
        self.name = name
        self.kind = kind
        self.constraint = constraint
        self.isNullable = isNullable
        self.path = path
        self.element = element
        isStored = true
        copy = nil
    }

    /// Returns a function that reads a stored property where it lies in a record: a key path takes several times as
    /// long.
    private static func element<Value: FieldValue>(
        _ type: Value.Type, at offset: Int
    ) -> @Sendable (Record) -> CompositeKey.Element {
        { record in
            unsafe withUnsafePointer(to: record) { (record) in
                let property = unsafe UnsafeRawPointer(record) + offset
                return unsafe property.assumingMemoryBound(to: Value.self).pointee.fieldElement
            }
        }
    }
}
