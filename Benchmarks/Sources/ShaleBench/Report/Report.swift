#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Collects the results, prints them, and appends them to the JSON lines file.
final class Report {
    /// Raised when a field changes its meaning or goes.
    static let schema = 1

    private let jsonPath: String?
    private var lines = Data()
    private var rowsByRepetition: [[Row]] = []
    private var repetition: Int { rowsByRepetition.count }

    /// One object of the file: which kind it is says what else it has.
    private struct Line<Content: Encodable>: Encodable {
        let schema = Report.schema
        let kind: String
        let repetition: Int
        let content: Content
    }

    init(jsonPath: String?) { self.jsonPath = jsonPath }

    func beginRepetition() { rowsByRepetition.append([]) }

    func add(_ row: Row) throws {
        if rowsByRepetition.isEmpty { beginRepetition() }
        rowsByRepetition[rowsByRepetition.count - 1].append(row)
        Table.print(row)
        try write("row", row)
    }

    func write(_ kind: String, _ content: some Encodable) throws {
        guard let jsonPath else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        lines += try encoder.encode(Line(kind: kind, repetition: repetition, content: content))
        lines.append(UInt8(ascii: "\n"))
        // Written each time: a run that fails leaves what it had.
        try lines.write(to: URL(filePath: jsonPath))
    }

    /// The first row of a workload in each repetition: later ones have another tree before them.
    func firstRows(of workload: String, where condition: (Row) -> Bool = { _ in true }) -> [Row] {
        rowsByRepetition.compactMap { rows in rows.first { $0.workload == workload && condition($0) } }
    }
}
