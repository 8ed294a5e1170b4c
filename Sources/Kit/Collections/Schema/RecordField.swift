import Shale

/// A field of a record: the name that the stored document uses, its key path, and its constraint.
///
/// ```swift
/// RecordField("email", \Person.email, .unique)
/// ```
/// `name` is the name by which the record type encodes the property; opening a collection checks that.
public struct RecordField<Record: Codable & Sendable>: Sendable {
    public var name: String { layout.name }
    public var kind: FieldKind { layout.kind }
    public var constraint: FieldConstraint { layout.constraint }
    /// True if the record type allows nil.
    public var isNullable: Bool { layout.isNullable }

    let layout: FieldLayout
    /// Copies the value from the first record to the second; `nil` if the property can't be set.
    let copy: (@Sendable (Record, inout Record) -> Void)?

    /// Describes a field.
    ///
    /// - Parameters:
    ///   - name: The name in the stored document. At most 255 bytes, and unique in the schema. For a stored property,
    ///     the document has the property's value under this name: projections, the building of indexes and the command
    ///     read it there.
    ///   - path: The property. A computed property works if it depends on the record only.
    ///   - constraint: The rule that every insertion and change is checked against.
    public init<Value: FieldValue>(
        _ name: String, _ path: any KeyPath<Record, Value> & Sendable, _ constraint: FieldConstraint = .none
    ) {
        let offset = MemoryLayout<Record>.offset(of: path)
        let element: @Sendable (RecordAddress) -> CompositeKey.Element
        if let offset {
            element = FieldLayout.reader(of: Value.self, at: offset)
        } else {
            element = { (record) in record.with(Record.self) { $0[keyPath: path].fieldElement } }
        }
        layout = FieldLayout(
            name: name, kind: Value.fieldKind, constraint: constraint, isNullable: Value.isNullable, path: path,
            isStored: offset != nil, element: element,
            documentElement: offset == nil ? nil : FieldLayout.documentReader(of: Value.self))
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
        layout = FieldLayout(
            name: name, kind: kind, constraint: constraint, isNullable: isNullable, path: path, isStored: true
        ) { (record) in record.with(Record.self, element) }
        copy = nil
    }

    /// Returns the value of the field in a record.
    func element(_ record: Record) -> CompositeKey.Element {
        RecordAddress.with(of: record) { (record) in layout.element(record) }
    }
}
