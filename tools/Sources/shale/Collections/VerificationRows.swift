import ShaleCollections

/// The result of comparing a collection with its indexes, for output.
struct CollectionVerificationRow: Encodable {
    struct Index: Encodable {
        let name: String
        let entries: Int
        let missingEntries: Int
        let staleEntries: Int
        let invalidEntries: Int
    }

    let sound: Bool
    let records: Int
    let unreadableRecords: Int
    let indexes: [Index]
    /// The messages of unreadable records, a few of them.
    let problems: [String]

    init(_ found: CollectionVerification) {
        sound = found.isSound
        records = found.records
        unreadableRecords = found.failures.count
        indexes = found.indexes.map {
            Index(
                name: $0.name, entries: $0.entries, missingEntries: $0.missingEntries, staleEntries: $0.staleEntries,
                invalidEntries: $0.invalidEntries)
        }
        problems = Set(found.failures.map { "\($0.error.code.rawValue): \($0.error.message)" }).sorted()
    }

    var lines: [Shown] {
        var lines: [Shown] = []
        for index in indexes {
            let figures: [(Int, Shown)] = [
                (index.missingEntries, "missing"), (index.invalidEntries, "invalid"), (index.staleEntries, "stale"),
            ]
            let found = figures.filter { $0.0 > 0 }.map { "\(Figures.count($0.0)) \($0.1)" as Shown }
            if !found.isEmpty { lines.append("index \(index.name): entries \(found.joined(separator: ", "))") }
        }
        if unreadableRecords > 0 {
            let many: Shown = unreadableRecords >= 100 ? "at least " : ""
            lines.append("\(many)\(Figures.count(unreadableRecords, "record")) can't be read")
            lines += problems.prefix(3).map { "\(message: $0)" }
        }
        if lines.isEmpty { lines.append("all indexes agree with \(Figures.count(records, "record"))") }
        return lines
    }
}

/// The changes that a repair of a collection made, for output.
struct CollectionRepairRow: Encodable {
    let rebuiltIndexes: [String]
    /// The number of records that can't be read, which the rebuilt indexes leave out.
    let recordsLeftOut: Int
    let removedEntries: Int

    var lines: [Shown] {
        var lines: [Shown] = []
        if !rebuiltIndexes.isEmpty {
            lines.append("built again: \(rebuiltIndexes.map { Shown($0) }.joined(separator: ", "))")
        }
        if recordsLeftOut > 0 { lines.append("left out: \(Figures.count(recordsLeftOut, "record"))") }
        if removedEntries > 0 {
            lines.append("removed: \(Figures.count(removedEntries, "stale entry", "stale entries"))")
        }
        return lines
    }
}
