public import Shale
import ShaleBase

/// A record that was read without its Swift type.
///
/// ``StoredCollection`` returns these. The values of the schema's fields have the kinds that the schema states; other
/// properties are as the document has them.
public struct StoredRecord: Codable, Sendable {
    /// The document of the record, as it is stored.
    public let document: StructuredValue
    /// `nil` for a document that was decoded outside of a collection: it has no fields.
    private let fields: StoredFields?
    /// The values of the fields, by their positions in the schema.
    private let elements: [CompositeKey.Element]

    /// Decodes a document without a schema: ``value(of:)`` returns `nil` for every name.
    public init(from decoder: any Decoder) throws {
        document = try StructuredValue(from: decoder)
        fields = nil
        elements = []
    }

    /// Makes a record of a document.
    ///
    /// - Throws: `.codecFailure` or `.typeMismatch` if the document is no record of the schema.
    init(_ document: StructuredValue, _ fields: StoredFields) throws(StorageError) {
        self.document = document
        self.fields = fields
        elements = try fields.elements(of: document)
    }

    public func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) }

    subscript(element position: Int) -> CompositeKey.Element { elements[position] }

    /// Returns the value of a field; `nil` if the schema has no field of this name. A field that is nil has the value
    /// `.null`.
    public func value(of field: String) -> CompositeKey.Element? { fields?.positions[field].map { elements[$0] } }

    /// The properties of the record by name. Dates and bytes of fields are dates and bytes, whatever the format of the
    /// document.
    public var properties: [String: StructuredValue] {
        guard case .dictionary(var members) = document else { return [:] }
        for (position, field) in (fields?.list ?? []).enumerated() {
            switch elements[position] {
            case .date(let date): members[field.name] = .date(date)
            case .bytes(let bytes): members[field.name] = .data(bytes.data)
            default: continue
            }
        }
        return members
    }
}

/// The fields of a stored schema, which say what the members of a document are.
struct StoredFields: Sendable {
    let list: [StoredSchema.Field]
    let positions: [String: Int]

    init(_ list: [StoredSchema.Field]) {
        self.list = list
        positions = Dictionary(list.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// Returns the values of the fields in a document, by their positions.
    ///
    /// - Throws: `.typeMismatch` if the document is no record; `.codecFailure` with an ``UntypedField`` as its cause.
    func elements(of document: StructuredValue) throws(StorageError) -> [CompositeKey.Element] {
        guard case .dictionary(let members) = document else {
            // A type of records may encode itself as an array. Anything else is no record.
            if case .array = document { throw UntypedField.error("the document has no names of fields") }
            throw StorageError(.typeMismatch, "a stored value is no record")
        }
        var elements: [CompositeKey.Element] = []
        elements.reserveCapacity(list.count)
        for field in list {
            let value = members[field.name] ?? .null
            guard let element = field.kind.element(of: value) else {
                throw UntypedField.error("a property is of another kind than its field field=\(field.name)")
            }
            guard element != .null || field.isNullable else {
                throw UntypedField.error("the document has no value of a field field=\(field.name)")
            }
            elements.append(element)
        }
        return elements
    }
}

/// The cause of an error: a document does not say what a field's value is. Its Swift type may know.
///
/// A field can be a computed property, and its type can encode something else than what it compares by.
struct UntypedField: Error {
    static func error(_ problem: String) -> StorageError {
        StorageError(.codecFailure, problem, cause: UntypedField())
    }
}
