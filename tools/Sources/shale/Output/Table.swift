/// A table of text: each column is as wide as its widest cell, numbers are right-aligned.
struct Table {
    private let rightAligned: Set<Int>
    private let hasHeader: Bool
    private var rows: [[Shown]]

    init(_ header: [Shown], rightAligned: Set<Int> = []) {
        hasHeader = !header.isEmpty
        rows = hasHeader ? [header] : []
        self.rightAligned = rightAligned
    }

    mutating func add(_ cells: Shown...) { rows.append(cells) }

    mutating func add(_ cells: [Shown]) { rows.append(cells) }

    var text: Shown {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell in
                let padding = Shown.spaces(widths[column] - cell.count)
                return rightAligned.contains(column) ? padding + cell : cell + padding
            }
            let line = cells.joined(separator: "  ").trimmedEnd
            return number == 0 && hasHeader ? Terminal.heading(line) : line
        }.joined(separator: "\n")
    }
}
