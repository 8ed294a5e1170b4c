public import Shale
import ShaleBase

extension StoredCollection {
    /// Returns a query for all records.
    public func query() -> RecordQuery<StoredRecord> { base.query() }

    /// Returns a query for the records that satisfy a condition in the language of the article "Conditions as text".
    ///
    /// ```swift
    /// try people.query(where: "city in ('Lund', 'Oslo') and not (age between 20 and 29 or email is null)")
    /// ```
    /// - Throws: `.invalidArgument` for a mistake, whose place ``ShaleBase/StorageError/conditionMistake`` tells.
    public func query(where condition: String) throws(StorageError) -> RecordQuery<StoredRecord> {
        let filter = try ConditionMistake.reported { () throws(ConditionMistake) in
            try ConditionParser.filter(condition, base.core.layout.fields)
        }
        return RecordQuery(core: base.core, filter: filter)
    }
}

extension RecordQuery where Record == StoredRecord {
    /// Returns the query with an order in place of the present one: names of fields, separated by commas, each with
    /// `asc` or `desc` behind it if wanted.
    ///
    /// ```swift
    /// try people.query().ordered(by: "age desc, name")
    /// ```
    /// - Throws: As ``StoredCollection/query(where:)``.
    public func ordered(by order: String) throws(StorageError) -> RecordQuery {
        var query = self
        query.order = try ConditionMistake.reported { () throws(ConditionMistake) in
            try ConditionParser.order(order, core.layout.fields)
        }.map { RecordOrder(path: StoredRecord.path(to: $0.field), isDescending: $0.isDescending) }
        return query
    }
}
