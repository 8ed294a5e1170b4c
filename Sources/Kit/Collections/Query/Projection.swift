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
    private let filter: Filter<ProjectedRecord>
    private let schema: OpenSchema<Record>

    /// Returns `nil` if whole records have to be read: if the condition is not only about stored properties, if the
    /// schema's codec replaces records that don't decode, or if no schema is stored.
    init?(
        _ query: RecordQuery<Record>, _ path: any KeyPath<Record, Value> & Sendable, _ field: Int,
        at moment: borrowing some ReadMoment & ~Copyable
    ) throws(StorageError) {
        let layout = query.core.layout
        guard let schema = try query.core.schema(at: moment), !query.core.codec.recovers,
            Value.self is any Decodable.Type, let filter = Projection.converted(query.filter)
        else { return nil }
        let plan = try query.plan(at: moment)
        // The columns of an index are needed to recognise its stale entries.
        let needed = Set(Projection.fields(of: query.filter) + plan.order.map(\.field) + plan.path.columns)
        guard needed.union([field]).allSatisfy({ layout.fields[$0].isStored }) else { return nil }
        self.query = query
        self.path = path
        self.field = field
        self.needed = needed.sorted()
        self.filter = filter
        self.schema = schema
    }

    /// Returns the values at a moment.
    func values(at moment: borrowing some ReadMoment & ~Copyable) throws(StorageError) -> [Value] {
        let layout = query.core.layout.projected(by: codec)
        let core = CollectionCore(
            layout, query.core.records, random: query.core.random,
            known: OpenSchema(schema.generation, schema.stored, layout, query.core.indexRoot, schema.hashers))
        var projected = RecordQuery(core: core, filter: filter)
        for criterion in query.order {
            let position = try CollectionLayout.position(
                of: criterion.path, in: query.core.layout.fields, "a criterion of an order")
            projected.order.append(
                RecordOrder(path: \ProjectedRecord.[position], isDescending: criterion.isDescending))
        }
        projected.limit = query.limit
        projected.cursor = query.cursor
        return try projected.page(at: moment).records.compactMap { $0.value as? Value }
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
            ProjectedRecord(elements: fields.map { $0.element(record) }, value: record[keyPath: path])
        }
    }

    private static func value(_ value: CompactValue) throws(StorageError) -> any Sendable {
        func decoded<T: Decodable>(_ type: T.Type) throws(StorageError) -> Any { try value.decoded(as: type) }
        guard let type = Value.self as? any Decodable.Type, let result = try decoded(type) as? Value else {
            throw .typeMismatch(stored: "another kind", requested: "\(Value.self)")
        }
        return result
    }

    /// Returns a condition on projected records; `nil` if a part of it needs the record itself.
    private static func converted(_ filter: Filter<Record>) -> Filter<ProjectedRecord>? {
        switch filter {
        case .constant(let value): return .constant(value)
        case .and(let parts):
            let converted = parts.compactMap { self.converted($0) }
            return converted.count == parts.count ? .and(converted) : nil
        case .or(let parts):
            let converted = parts.compactMap { self.converted($0) }
            return converted.count == parts.count ? .or(converted) : nil
        case .not(let part): return converted(part).map { .not($0) }
        case .compare(let field, let comparison, let value): return .compare(field, comparison, value)
        case .oneOf(let field, let values): return .oneOf(field, values)
        case .prefix(let field, let prefix): return .prefix(field, prefix)
        case .opaque: return nil
        }
    }

    private static func fields(of filter: Filter<Record>) -> [Int] {
        switch filter {
        case .constant, .opaque: []
        case .and(let parts), .or(let parts): parts.flatMap { fields(of: $0) }
        case .not(let part): fields(of: part)
        case .compare(let field, _, _), .oneOf(let field, _), .prefix(let field, _): [field]
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
    /// Returns the layout of the same collection for projected records.
    func projected(by codec: VersionedCodec<ProjectedRecord>) -> CollectionLayout<ProjectedRecord> {
        let fields = self.fields.enumerated().map { (position, field) in
            RecordField<ProjectedRecord>(
                field.name, field.kind, field.constraint, isNullable: field.isNullable,
                path: \ProjectedRecord.[position]
            ) { $0.elements[position] }
        }
        let indexes = self.indexes.map {
            IndexLayout(name: $0.name, columns: $0.columns, isUnique: $0.isUnique, fields: fields)
        }
        return CollectionLayout<ProjectedRecord>(
            RecordSchema(schema.name, codec: codec, fields: fields), key: key, indexes: indexes)
    }
}
