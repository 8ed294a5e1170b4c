import Shale
import ShaleBase
import ShaleCollections

extension CollectionModel {
    private typealias Order = [(field: Int, isDescending: Bool)]

    /// Looks up single records, by key and by a unique field.
    func find() throws {
        let key = try someKey()
        try require(try collection.find(key)?.cells == oracle.entries[key]?.cells, "found another record under a key")
        let wanted = values.specimen()
        if schema.constraint(SpecimenField.text).isUnique, let text = wanted.text, !isUnfinished {
            try compare(try collection.find(\.text, text), SpecimenField.text, wanted)
        }
        if schema.constraint(SpecimenField.real).isUnique, let real = wanted.real, !isUnfinished {
            try compare(try collection.find(\.real, real), SpecimenField.real, wanted)
        }
    }

    private func compare(_ found: Specimen?, _ field: Int, _ wanted: Specimen) throws {
        let cell = wanted.cells[field]
        let keys = oracle.keys(where: { Cell.isEqual($0[field], cell) })
        try require(
            keys.count <= 1 && found?.cells == keys.first.flatMap { oracle.entries[$0]?.cells },
            "found another record by \(SpecimenField.all[field].name) == \(cell)")
    }

    /// Asks one question in many ways.
    func query() throws {
        let (predicate, holds, text) = source.predicate()
        try ask(collection.query(predicate), holds, text)
    }

    func queryLikeExample() throws {
        var parts: [String: (any FieldValue)?] = [:]
        var wanted: [(field: Int, cell: Cell)] = []
        let specimen = values.specimen()
        let cells = specimen.cells
        for field in schema.fields where random.below(4) == 0 {
            parts[SpecimenField.all[field].name] = .some(specimen.value(field))
            wanted.append((field, cells[field]))
        }
        let query = try collection.query(like: parts)
        try ask(query, { record in wanted.allSatisfy { Cell.isEqual(record[$0.field], $0.cell) } }, "like \(wanted)")
    }

    private func drawnOrder() -> Order {
        var order: Order = []
        for _ in 0..<random.below(4) {
            let field = schema.fields[random.below(schema.fields.count)]
            if !order.contains(where: { $0.field == field }) { order.append((field, random.below(2) == 0)) }
        }
        // Half of the orders are those of an index, or its reverse.
        guard !schema.indexes.isEmpty, random.below(2) == 0 else { return order }
        let reverses = random.below(2) == 0
        let columns = schema.indexes[random.below(schema.indexes.count)].columns
        return columns.dropFirst(random.below(columns.count)).map { ($0.field, $0.isDescending != reverses) }
    }

    private func ordered(
        _ query: RecordQuery<Specimen>, _ order: Order
    ) -> RecordQuery<Specimen> {
        let orders = order.map { SpecimenField.all[$0.field].order($0.isDescending) }
        return switch orders.count {
        case 0: query
        case 1: query.ordered(by: orders[0])
        case 2: query.ordered(by: orders[0], orders[1])
        default: query.ordered(by: orders[0], orders[1], orders[2])
        }
    }

    private func ask(
        _ query: RecordQuery<Specimen>, _ holds: ([Cell]) -> Bool, _ condition: @autoclosure () -> String
    ) throws {
        let order = drawnOrder()
        let wanted = oracle.keys(where: holds, order)
        // Written only for a failure: it would be a tenth of a history's time.
        var text: String { "where \(condition()) order \(order) of \(schema.indexes)" }
        matched(wanted.count)
        let ordered = ordered(query, order)
        switch random.below(6) {
        case 0:
            try require(try query.count() == wanted.count, "another count \(text)")
            try require(try query.exists() == !wanted.isEmpty, "another existence \(text)")
        case 1: try pages(ordered, wanted, text)
        case 2:
            let limit = random.below(10)
            let limited = ordered.limit(limit)
            try require(try limited.keys() == Array(wanted.prefix(limit)), "other first records \(text)")
            try require(try limited.count() == min(limit, wanted.count), "another limited count \(text)")
        case 3:
            let explanation = try ordered.explain()
            try require(explanation.matches == wanted.count, "\(explanation) for \(wanted.count) \(text)")
        default: break
        }
        try compareRecords(ordered, oracle.keys(where: holds, order), text)
    }

    private func compareRecords(
        _ ordered: RecordQuery<Specimen>, _ wanted: [RecordKey], _ text: @autoclosure () -> String
    ) throws {
        let page = try ordered.page()
        try require(page.failures.isEmpty, "unreadable records \(text())")
        try require(page.keys == wanted, "found \(page.keys.count) of \(wanted.count) \(text())")
        for (key, record) in zip(page.keys, page.records) {
            try compare(record, key)
        }
    }

    /// Reads page after page, with cursors as bytes. Records may be deleted behind the page.
    private func pages(
        _ query: RecordQuery<Specimen>, _ wanted: [RecordKey], _ text: @autoclosure () -> String
    ) throws {
        let limit = 1 + random.below(7)
        var (seen, cursor): ([RecordKey], QueryCursor?) = ([], nil)
        var rest = wanted[...]
        repeat {
            let page = try query.limit(limit).after(cursor).page()
            try require(page.keys == Array(rest.prefix(limit)), "another page behind \(seen.count) \(text())")
            seen += page.keys
            rest = rest.dropFirst(limit)
            cursor = page.next.map { QueryCursor(bytes: $0.bytes) }
            if let last = page.keys.last, random.below(10) == 0 {
                try collection.delete(last)
                oracle.entries[last] = nil
                note()
            }
        } while cursor != nil
        try require(seen == wanted, "pages with \(seen.count) of \(wanted.count) \(text())")
    }
}

extension Specimen {
    func value(_ field: Int) -> (any FieldValue)? {
        switch field {
        case SpecimenField.id: id
        case SpecimenField.code: code
        case SpecimenField.integer: integer
        case SpecimenField.unsigned: unsigned
        case SpecimenField.text: text
        case SpecimenField.note: note
        case SpecimenField.real: real
        case SpecimenField.small: small
        case SpecimenField.blob: blob
        case SpecimenField.flag: flag
        case SpecimenField.day: day
        default: mark
        }
    }
}
