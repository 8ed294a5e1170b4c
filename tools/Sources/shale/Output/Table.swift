/// A table of text: columns as wide as they need to be, numbers to the right.
struct Table {
    private let rightAligned: Set<Int>
    private let hasHeader: Bool
    private var rows: [[String]]

    init(_ header: [String], rightAligned: Set<Int> = []) {
        hasHeader = !header.isEmpty
        rows = hasHeader ? [header] : []
        self.rightAligned = rightAligned
    }

    mutating func add(_ cells: String...) { rows.append(cells) }

    mutating func add(_ cells: [String]) { rows.append(cells) }

    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return rightAligned.contains(column) ? padding + cell : cell + padding
            }
            let line = cells.joined(separator: "  ").trimmedEnd
            return number == 0 && hasHeader ? Terminal.heading(line) : line
        }.joined(separator: "\n")
    }
}

extension String {
    fileprivate var trimmedEnd: String {
        var text = self[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}
