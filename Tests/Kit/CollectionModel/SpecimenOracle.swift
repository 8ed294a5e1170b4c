import ShaleCollections

/// The records that a collection should have.
struct SpecimenOracle {
    struct Entry {
        var specimen: Specimen
        var cells: [Cell]
        var isPurgeable = false
        var expiresAt: Int64?

        init(_ specimen: Specimen, isPurgeable: Bool, expiresAt: Int64?) {
            self.specimen = specimen
            cells = specimen.cells
            self.isPurgeable = isPurgeable
            self.expiresAt = expiresAt
        }
    }

    enum Refusal: Hashable {
        case keyExists
        case isNull(String)
        case notUnique(String)
    }

    var entries: [RecordKey: Entry] = [:]

    /// Forgets what has expired.
    mutating func expire(at now: Int64) {
        let isDue = entries.values.contains { $0.expiresAt.map { $0 <= now } ?? false }
        if isDue { entries = entries.filter { $0.value.expiresAt.map { $0 > now } ?? true } }
    }

    /// Returns what a record breaks; empty if it may be stored.
    func refusals(
        _ cells: [Cell], _ key: RecordKey, isNew: Bool, _ schema: DrawnSchema
    ) -> Set<Refusal> {
        if isNew, schema.key != .generated, entries[key] != nil { return [.keyExists] }
        let missing = schema.requiredFields.filter { cells[$0] == .null }
        guard missing.isEmpty else { return Set(missing.map { .isNull(SpecimenField.all[$0].name) }) }
        var found: Set<Refusal> = []
        for (name, fields) in schema.uniqueSets where !fields.contains(where: { cells[$0] == .null }) {
            let isTaken = entries.contains { other, entry in
                other != key && fields.allSatisfy { Cell.isSame(entry.cells[$0], cells[$0]) }
            }
            if isTaken { found.insert(.notUnique(name)) }
        }
        return found
    }

    /// Returns records that agree in a unique set, each with the set's name.
    func twins(_ schema: DrawnSchema) -> [(name: String, key: RecordKey)] {
        var found: [(String, RecordKey)] = []
        for (name, fields) in schema.uniqueSets {
            let keys = entries.keys.sorted()
            for (position, key) in keys.enumerated() {
                guard let cells = entries[key]?.cells, !fields.contains(where: { cells[$0] == .null }) else { continue }
                let hasTwin = keys[..<position].contains { other in
                    guard let others = entries[other]?.cells else { return false }
                    return fields.allSatisfy { Cell.isSame(others[$0], cells[$0]) }
                }
                if hasTwin { found.append((name, key)) }
            }
        }
        return found
    }

    /// Returns the keys of the records that satisfy a condition, in an order.
    func keys(
        where holds: ([Cell]) -> Bool, _ order: [(field: Int, isDescending: Bool)] = []
    ) -> [RecordKey] {
        let found = entries.filter { holds($0.value.cells) }.map { (key: $0.key, cells: $0.value.cells) }
        let keysDescend = order.last?.isDescending ?? false
        return found.sorted { a, b in
            for criterion in order {
                let compared = Cell.order(a.cells[criterion.field], b.cells[criterion.field])
                if compared != 0 { return criterion.isDescending ? compared > 0 : compared < 0 }
            }
            return keysDescend ? b.key < a.key : a.key < b.key
        }.map(\.key)
    }

    /// Gives all records the form of a later version.
    mutating func migrate(from old: Int, to new: Int) {
        for (key, entry) in entries {
            let specimen = (old..<new).reduce(entry.specimen) { Specimen.migrated($0, from: $1) }
            entries[key] = Entry(specimen, isPurgeable: entry.isPurgeable, expiresAt: entry.expiresAt)
        }
    }
}
