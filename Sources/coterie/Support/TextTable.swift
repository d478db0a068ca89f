import Answers
import CommandLine

/// Tab-separated values.
enum TabSeparated {
    /// Returns a line of fields, with its line feed.
    static func line(_ fields: [String]) -> String { fields.map(field).joined(separator: "\t") + "\n" }

    /// Returns a field, quoted as in RFC 4180 if necessary; any id can be read back.
    static func field(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 13 || $0 == UInt8(ascii: "\"") }) else {
            return text
        }
        var escaped = "\""
        for character in text.unicodeScalars {
            escaped.unicodeScalars.append(character)
            if character == "\"" { escaped.unicodeScalars.append(character) }
        }
        return escaped + "\""
    }
}

/// A text table for people, with columns as wide as their content, up to a maximum.
struct TextTable {
    private let columns: [ColumnHeading]
    private var rows: [[String]] = []

    init(_ columns: [ColumnHeading]) { self.columns = columns }

    /// Creates a table whose first column has texts, and whose others have numbers.
    init(_ first: String, numbers: [String]) {
        columns = [ColumnHeading(title: first)] + numbers.map { ColumnHeading(title: $0, isNumber: true) }
    }

    /// Creates the table of an answer's rows.
    init(_ table: AnswerTable) {
        (columns, rows) = (table.headings, table.rows)
    }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// The header and the rows, a line each, without spaces at the ends of lines.
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

    /// Returns a printable cell, cut to the maximum width of its column.
    private static func fitted(_ cell: String, _ column: ColumnHeading) -> String {
        let flat = printable(cell)
        return flat.count > column.maximumWidth ? flat.prefix(column.maximumWidth - 1) + "…" : flat
    }
}
