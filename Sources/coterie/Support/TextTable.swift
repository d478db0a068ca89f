/// A table of text for people: columns as wide as their content, up to a bound.
struct TextTable {
    /// A column.
    struct Column {
        var title: String
        var isNumber = false
        var maximumWidth = 44
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The header and the rows, a line each, without blanks at the end of lines.
    var lines: [String] {
        let cells = ([columns.map(\.title)] + rows).map { row in zip(row, columns).map(Self.fitted) }
        let widths = columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            var line = ""
            for (index, cell) in row.enumerated() {
                let padding = String(repeating: " ", count: widths[index] - cell.count)
                line += columns[index].isNumber ? padding + cell : cell + padding
                if index < row.count - 1 { line += "  " }
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// Printable, and cut if it is long.
    private static func fitted(_ cell: String, _ column: Column) -> String {
        let flat = printable(cell)
        return flat.count > column.maximumWidth ? flat.prefix(column.maximumWidth - 1) + "…" : flat
    }
}

/// A text as it may go to a terminal: control characters, which could move the cursor, are blanks.
func printable(_ text: String) -> String {
    String(text.map { $0.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : $0 })
}
