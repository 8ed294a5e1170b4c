public import Shale
import ShaleBase

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A question to a collection: a condition, an order, a limit and a place to begin. It reads nothing until it is asked
/// for its answer, and can be asked many times.
///
/// ```swift
/// let query = people.query(#Predicate { $0.city == "Lund" && $0.age >= 18 })
///     .ordered(by: .descending(\.age), .ascending(\.name))
///     .limit(20)
/// let page = try query.page()
/// let next = try query.after(page.next).page()
/// ```
/// Each answer sees one moment: records, indexes and schema of the same snapshot.
///
/// Indexes serve comparisons of a field with a constant, ranges, prefixes of text (`starts(with:)`), lists
/// (`list.contains($0.city)`), nil, and conjunctions and disjunctions of them. Everything else is answered by reading
/// records; ``explain()`` tells which. Constants have to be values, or variables from outside: Foundation evaluates any
/// other expression, and an index can't.
///
/// Without ``ordered(by:)`` records come in the order of their keys. Generated keys are in the order of insertion.
public struct RecordQuery<Record: Codable & Sendable>: Sendable {
    let core: CollectionCore<Record>
    let filter: Filter
    var order: [RecordOrder<Record>] = []
    var limit = Int.max
    var cursor: QueryCursor?
    /// True for an example without values, which changes refuse.
    var isEmptyExample = false

    /// Returns the query with an order in place of the present one. Records that agree in all criteria are ordered by
    /// their keys, so the order is total.
    public func ordered(by order: RecordOrder<Record>...) -> RecordQuery {
        var query = self
        query.order = order
        return query
    }

    /// Returns the query with a limit on the number of records. Negative numbers count as 0.
    public func limit(_ limit: Int) -> RecordQuery {
        var query = self
        query.limit = max(0, limit)
        return query
    }

    /// Returns the query from a place on; `nil` means from the start.
    public func after(_ cursor: QueryCursor?) -> RecordQuery {
        var query = self
        query.cursor = cursor
        return query
    }
}

extension RecordCollection {
    /// Returns a query for the records that satisfy a predicate.
    public func query(_ predicate: Predicate<Record>) -> RecordQuery<Record> {
        RecordQuery(core: core, filter: PredicateTranslation.filter(predicate, core.layout.fields))
    }

    /// Returns a query for all records.
    public func query() -> RecordQuery<Record> { RecordQuery(core: core, filter: .constant(true)) }

    /// Returns a query for the records that have all values of the example.
    ///
    /// Fields of the example that are nil don't count; fields that can't be nil always do. An example without values
    /// matches every record, and is refused by changes.
    public func query(like example: Record) -> RecordQuery<Record> {
        var parts: [Filter] = []
        for (position, field) in core.schema.fields.enumerated() {
            let element = field.element(example)
            if element != .null { parts.append(.compare(position, .equal, element)) }
        }
        var query = RecordQuery(core: core, filter: .and(parts))
        query.isEmptyExample = parts.isEmpty
        return query
    }

    /// Returns a query for the records that have the given values.
    ///
    /// ```swift
    /// let found = try people.query(like: ["city": "Lund", "age": 36]).records()
    /// ```
    /// `nil` as a value matches records whose field is nil. No values match every record, and are refused by changes.
    ///
    /// - Throws: `.invalidArgument` for a name that is no field, and for a value of another kind.
    public func query(like values: [String: (any FieldValue)?]) throws(StorageError) -> RecordQuery<Record> {
        var parts: [Filter] = []
        for (name, value) in values.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            guard let position = core.layout.fields.firstIndex(where: { $0.name == name }) else {
                throw .invalid("the collection has no field of this name field=\(name)")
            }
            let element = value?.fieldElement ?? .null
            guard core.layout.fields[position].kind.holds(element) else {
                throw .invalid("the value has another kind than the field field=\(name)")
            }
            parts.append(.compare(position, .equal, element))
        }
        var query = RecordQuery(core: core, filter: .and(parts))
        query.isEmptyExample = parts.isEmpty
        return query
    }
}
