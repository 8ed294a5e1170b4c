import Formatting

/// Rows of cells under titles, for the terminal. Columns in which nothing was measured are omitted.
struct TextTable {
    struct Column {
        let title: String
        var isText = false
        let cells: [String]

        var width: Int { max(title.count, cells.map(\.count).max() ?? 0) }
        /// True if nothing was measured: all cells are empty or `-`.
        var isEmpty: Bool { cells.allSatisfy { $0.isEmpty || $0 == "-" } }
    }

    /// The maximal width of a line in characters.
    static let widthMax = 120

    let columns: [Column]
    /// Two spaces, or one if the lines would be too wide.
    private let gap: String

    init(_ columns: [Column]) {
        self.columns = columns.filter { !$0.isEmpty }
        let width = self.columns.reduce(0) { $0 + $1.width + 2 }
        gap = width - 2 > TextTable.widthMax ? " " : "  "
    }

    var lines: [String] {
        let count = columns.map(\.cells.count).max() ?? 0
        return [line { $0.title }] + (0..<count).map { index in line { $0.cells[index] } }
    }

    private func line(_ cell: (Column) -> String) -> String {
        let cells = columns.map { column in
            column.isText ? cell(column).padded(to: column.width) : cell(column).paddedLeft(to: column.width)
        }
        let line = cells.joined(separator: gap)
        return String(line.reversed().drop { $0 == " " }.reversed())
    }
}
