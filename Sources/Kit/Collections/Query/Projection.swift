import Shale
import ShaleBase

/// The part of a record that a projection reads: elements of fields, and the value of one of them.
///
/// A collection reads it with a codec of its own, so the conformance to `Codable` is never used.
struct ProjectedRecord: Codable, Sendable {
    /// The elements by position of their fields; null for fields that the query does not need.
    let elements: [CompositeKey.Element]
    let value: any Sendable

    init(elements: [CompositeKey.Element], value: any Sendable) {
        self.elements = elements
        self.value = value
    }

    init(from decoder: any Decoder) throws { throw ProjectedRecord.noDocument }

    func encode(to encoder: any Encoder) throws { throw ProjectedRecord.noDocument }

    private static var noDocument: StorageError { StorageError(.codecFailure, "a projection is no document") }

    /// The element of a field; its key path stands for the field in orders.
    subscript(position: Int) -> CompositeKey.Element { elements[position] }
}

/// Makes a query for one field of the records that a query finds. It reads the fields that it needs from the bytes of
/// the records.
///
/// Each step of the query is that of whole records, with another type of records. So conditions, indexes, orders,
/// cursors and failures are the same. Records of earlier versions, and documents that are not compact, are decoded.
struct Projection<Record: Codable & Sendable, Value: FieldValue> {
    private let query: RecordQuery<Record>
    private let path: any KeyPath<Record, Value> & Sendable
    /// The position of the field.
    private let field: Int
    /// The positions of the fields whose elements the query compares.
    private let needed: [Int]
    private let schema: OpenSchema

    /// Returns `nil` if whole records have to be read: if the condition is not only about stored properties, if the
    /// schema's codec replaces records that don't decode, or if no schema is stored.
    init?(
        _ query: RecordQuery<Record>, _ path: any KeyPath<Record, Value> & Sendable, _ field: Int,
        at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) {
        let layout = query.core.layout
        guard let schema = try query.core.base.schema(at: moment), !query.core.codec.recovers,
            Value.self is any Decodable.Type, let filtered = query.filter.comparedFields
        else { return nil }
        let plan = try query.plan(at: moment)
        // The columns of an index are needed to recognise its stale entries.
        let needed = Set(filtered + plan.order.map(\.field) + plan.path.columns)
        guard needed.union([field]).allSatisfy({ layout.fields[$0].isStored }) else { return nil }
        self.query = query
        self.path = path
        self.field = field
        self.needed = needed.sorted()
        self.schema = schema
    }

    /// Returns the values at a moment.
    func values(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> [Value] {
        let base = query.core.base
        let (layout, projectedSchema) = base.layout.projected(by: codec)
        let core = CollectionCore(
            layout, projectedSchema, base.records, random: base.random,
            known: OpenSchema(schema.generation, schema.stored, layout, base.indexRoot, schema.hashers))
        var projected = RecordQuery(core: core, filter: query.filter)
        for criterion in query.order {
            let position = try CollectionLayout.position(
                of: criterion.path, in: query.core.layout.fields, "a criterion of an order")
            projected.order.append(
                RecordOrder(path: \ProjectedRecord.[position], isDescending: criterion.isDescending))
        }
        projected.limit = query.limit
        projected.cursor = query.cursor
        return try projected.records(at: moment).compactMap { $0.value as? Value }
    }

    /// Reads the parts of records.
    private var codec: VersionedCodec<ProjectedRecord> {
        let (fields, needed, path) = (query.core.layout.fields, needed, path)
        let name = fields[field].name
        return query.core.codec.reading { (document) throws(StorageError) in
            var elements = [CompositeKey.Element](repeating: .null, count: fields.count)
            for position in needed {
                elements[position] = try RecordBytes.element(
                    of: fields[position].name, as: fields[position].kind, in: document)
            }
            let value = try document.field(name) ?? .null
            return ProjectedRecord(elements: elements, value: try Projection.value(value))
        } whole: { (record) in
            ProjectedRecord(
                elements: RecordAddress.with(of: record) { (record) in fields.map { $0.element(record) } },
                value: record[keyPath: path])
        }
    }

    private static func value(_ value: CompactValue) throws(StorageError) -> any Sendable {
        func decoded<T: Decodable>(_ type: T.Type) throws(StorageError) -> Any { try value.decoded(as: type) }
        guard let type = Value.self as? any Decodable.Type, let result = try decoded(type) as? Value else {
            throw .typeMismatch(stored: "another kind", requested: "\(Value.self)")
        }
        return result
    }
}

extension Filter {
    /// The fields that the condition compares; `nil` if a part of it needs the record itself.
    fileprivate var comparedFields: [Int]? {
        switch self {
        case .opaque: return nil
        case .constant: return []
        case .and(let parts), .or(let parts):
            let fields = parts.compactMap(\.comparedFields)
            return fields.count == parts.count ? fields.flatMap(\.self) : nil
        case .not(let part): return part.comparedFields
        case .compare(let field, _, _), .oneOf(let field, _), .prefix(let field, _): return [field]
        }
    }
}

extension AccessPath {
    /// The fields that the columns of its indexes are.
    fileprivate var columns: [Int] {
        switch self {
        case .nothing, .all, .primary: []
        case .index(let index, _, _): index.layout.columns.map(\.field)
        case .union(let paths): paths.flatMap(\.columns)
        }
    }
}

extension CollectionLayout {
    /// Returns the layout and the schema of the same collection for projected records.
    fileprivate func projected(
        by codec: VersionedCodec<ProjectedRecord>
    ) -> (CollectionLayout, RecordSchema<ProjectedRecord>) {
        let fields = self.fields.enumerated().map { (position, field) in
            RecordField<ProjectedRecord>(
                field.name, field.kind, field.constraint, isNullable: field.isNullable,
                path: \ProjectedRecord.[position]
            ) { $0.elements[position] }
        }
        let layouts = fields.map(\.layout)
        let indexes = self.indexes.map {
            IndexLayout(name: $0.name, columns: $0.columns, isUnique: $0.isUnique, fields: layouts)
        }
        let layout = CollectionLayout(name, version: version, fields: layouts, key: key, indexes: indexes)
        return (layout, RecordSchema(name, codec: codec, fields: fields))
    }
}
