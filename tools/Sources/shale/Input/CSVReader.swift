import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules for making records from rows of CSV.
struct CSVShape {
    var delimiter = UInt8(ascii: ",")
    /// True if the first row contains the columns' names. Otherwise the columns are named 1, 2, 3, …
    var hasNames = true
    /// The types of columns that are not strings.
    var types: [[UInt8]: CSVColumnType] = [:]
    /// The column that is the whole value; `nil` makes a JSON object of all columns.
    var valueColumn: String?
    /// Receives rows that can't become records; `nil` ends the import at the first one.
    var badRows: BadRows?
}

/// The types of columns.
enum CSVColumnType: String, CaseIterable {
    case string, int, double, bool, date, json
}

/// Collects the rows that an import skips. Used by one thread.
final class BadRows {
    /// More rows are only counted.
    private static let shownMax = 100

    private let isQuiet: Bool
    private(set) var count = 0

    init(isQuiet: Bool) { self.isQuiet = isQuiet }

    func add(_ message: String) {
        count += 1
        guard !isQuiet, count <= Self.shownMax else { return }
        Terminal.note("shale: skipped: \(message: message)")
    }

    /// Tells how many more rows were skipped than were shown.
    func noteRest() {
        guard !isQuiet, count > Self.shownMax else { return }
        Terminal.note("shale: skipped: \(Figures.count(count - Self.shownMax)) more rows")
    }
}

/// Reads records from CSV: a row becomes a JSON object of its columns, in their order, or the value of one column.
struct CSVReader: RecordReader {
    /// A row that can't become a record, although its fields are known.
    private struct BadRow: Error {
        let message: String
    }

    private var rows: CSVRowReader
    private let shape: RecordShape
    private let csv: CSVShape
    private var columns: [Column] = []
    private var keyColumns: [Int] = []
    private var valueColumn: Int?
    private var purgeableColumn: Int?
    private var isFirst = true

    private struct Column {
        let name: [UInt8]
        let type: CSVColumnType
    }

    init(_ stream: ByteStream, shape: RecordShape, csv: CSVShape) {
        rows = CSVRowReader(stream, delimiter: csv.delimiter)
        self.shape = shape
        self.csv = csv
    }

    mutating func next(_ record: inout Record) throws -> Bool {
        while try nextRow() {
            do {
                try fill(&record)
                return true
            } catch let problem as BadRow {
                let message = "\(rows.place) \(problem.message)"
                guard let badRows = csv.badRows else { throw ToolFailure.badInput(message) }
                badRows.add(message)
            }
        }
        return false
    }

    /// Moves to the next row of data.
    private mutating func nextRow() throws -> Bool {
        guard isFirst else { return try rows.next() }
        isFirst = false
        guard try rows.next() else { return false }
        try takeColumns(csv.hasNames ? rows.fields : rows.fields.indices.map { Array("\($0 + 1)".utf8) })
        return try csv.hasNames ? rows.next() : true
    }

    private mutating func takeColumns(_ names: [[UInt8]]) throws {
        var seen: Set<[UInt8]> = []
        for name in names {
            guard let text = String(validating: name, as: UTF8.self), !text.isEmpty else {
                throw ToolFailure.badInput("\(rows.stream.name): the name of a column is empty or not UTF-8")
            }
            guard seen.insert(name).inserted else {
                throw ToolFailure.badInput("\(rows.stream.name): there are two columns \(text)")
            }
        }
        columns = names.map { Column(name: $0, type: csv.types[$0] ?? .string) }
        for name in csv.types.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            _ = try index(of: String(decoding: name, as: UTF8.self))
        }
        keyColumns = try shape.keyFields.map { try index(of: $0) }
        valueColumn = try csv.valueColumn.map { try index(of: $0) }
        purgeableColumn = try shape.purgeableField.map { try index(of: $0) }
    }

    private func index(of name: String) throws -> Int {
        let bytes = Array(name.utf8)
        guard let index = columns.firstIndex(where: { $0.name == bytes }) else {
            throw ToolFailure.badInput("\(rows.stream.name) has no column \(name)")
        }
        return index
    }

    private func fill(_ record: inout Record) throws {
        let fields = rows.fields
        guard fields.count == columns.count else {
            throw BadRow(message: "has \(fields.count) fields instead of \(columns.count)")
        }
        do {
            record.key = try shape.key(keyColumns.map { fields[$0] }, at: rows.place)
        } catch let failure as ToolFailure {
            throw BadRow(message: "has no key: \(failure.message)")
        }
        guard !record.key.isEmpty else { throw BadRow(message: "has an empty key") }
        record.purgeable = nil
        if let column = purgeableColumn { record.purgeable = try value(column) }
        if let column = valueColumn {
            guard let value = try value(column) else {
                throw BadRow(message: "has an empty field in the column \(name(column))")
            }
            record.value = value
        } else {
            record.value = .json(try object())
        }
    }

    private func name(_ column: Int) -> String { String(decoding: columns[column].name, as: UTF8.self) }

    private func mismatch(_ column: Int) -> BadRow {
        BadRow(message: "has a field that is no \(columns[column].type.rawValue) in the column \(name(column))")
    }

    private func text(_ column: Int) throws -> String {
        guard let text = String(validating: rows.fields[column], as: UTF8.self) else {
            throw BadRow(message: "is not UTF-8 in the column \(name(column))")
        }
        return text
    }

    /// Returns the value of a field; `nil` if it is empty and its column is not of strings.
    private func value(_ column: Int) throws -> ImportedValue? {
        let text = try text(column)
        let type = columns[column].type
        if text.isEmpty, type != .string { return nil }
        let value: ImportedValue? =
            switch type {
            case .string: .string(text)
            case .int: Int64(text).map { .integer($0) }
            case .double: Double(text).map { .double($0) }
            case .bool: Bool(text).map { .boolean($0) }
            case .date: DateArgument(argument: text).map { .date($0.date) }
            case .json: .json(try json(column))
            }
        guard let value else { throw mismatch(column) }
        return value
    }

    private func json(_ column: Int) throws -> [UInt8] {
        do {
            return try JSONCompactor(rows.fields[column]).output
        } catch is JSONCompactor.Problem {
            throw mismatch(column)
        }
    }

    /// Makes the JSON object of all columns but the purgeable one. An empty field of a typed column is null.
    private func object() throws -> [UInt8] {
        var object: [UInt8] = [UInt8(ascii: "{")]
        for index in columns.indices where index != purgeableColumn {
            if object.count > 1 { object.append(UInt8(ascii: ",")) }
            // The names were checked.
            _ = JSONWriter.append(string: columns[index].name, to: &object)
            object.append(UInt8(ascii: ":"))
            switch try value(index) {
            case nil: object.append(contentsOf: "null".utf8)
            case .integer(let number): object.append(contentsOf: "\(number)".utf8)
            case .double(let number):
                // JSON has no other numbers.
                guard number.isFinite else { throw mismatch(index) }
                object.append(contentsOf: "\(number)".utf8)
            case .boolean(let value): object.append(contentsOf: "\(value)".utf8)
            case .json(let text): object.append(contentsOf: text)
            default: _ = JSONWriter.append(string: rows.fields[index], to: &object)
            }
        }
        object.append(UInt8(ascii: "}"))
        guard object.count <= InputLimits.recordBytes else {
            throw BadRow(message: "is longer than \(InputLimits.recordBytes) bytes as JSON")
        }
        return object
    }
}
