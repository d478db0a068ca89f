import Basics
package import Model

/// A column of tables for people, which shows a value of each row.
package struct Column<Value> {
    /// The column without its values.
    package let heading: ColumnHeading
    /// The cell of a row without a value.
    fileprivate let absent: String
    fileprivate let text: (Value) -> String

    /// Creates a column.
    ///
    /// - Parameters:
    ///   - width: the greatest width on a terminal, in characters.
    ///   - text: the value as people read it.
    package init(
        _ title: String, isNumber: Bool = false, upTo width: Int = 44, absent: String = "-",
        _ text: @escaping (Value) -> String
    ) {
        heading = ColumnHeading(title: title, isNumber: isNumber, maximumWidth: width)
        (self.absent, self.text) = (absent, text)
    }

    fileprivate func cell(_ value: Value?) -> String { value.map(text) ?? absent }
}

/// The title of a column, and its place and width on a terminal.
package struct ColumnHeading: Sendable, Equatable {
    package var title: String
    /// Whether cells stand at the right, as numbers do.
    package var isNumber = false
    /// The greatest width on a terminal, in characters.
    package var maximumWidth = 44

    package init(title: String, isNumber: Bool = false, maximumWidth: Int = 44) {
        (self.title, self.isNumber, self.maximumWidth) = (title, isNumber, maximumWidth)
    }
}

extension Column {
    /// Returns a column of counts that some rows lack.
    package static func amount(_ title: String, _ count: @escaping (Value) -> UInt32?) -> Self {
        Self(title, isNumber: true) { count($0)?.grouped ?? "-" }
    }
}

extension Column where Value == String {
    package static func text(_ title: String, upTo width: Int = 44, absent: String = "-") -> Self {
        Self(title, upTo: width, absent: absent) { $0 }
    }

    package static func id(_ title: String) -> Self { text(title, upTo: 36) }
}

extension Column where Value: BinaryInteger {
    /// Returns a column of numbers that count from 1.
    package static func rank(_ title: String) -> Self { Self(title, isNumber: true) { "\($0)" } }

    /// Returns a column of counts: `118,285`.
    package static func count(_ title: String) -> Self { Self(title, isNumber: true, \.grouped) }
}

extension Column where Value: BinaryFloatingPoint {
    /// Returns a column of numbers with a fixed count of digits after the point.
    package static func fixed(_ title: String, _ digits: Int) -> Self {
        Self(title, isNumber: true) { Formats.fixed(Double($0), digits) }
    }

    /// Returns a column of scores: `0.0312`.
    package static func score(_ title: String) -> Self { Self(title, isNumber: true) { Formats.score(Double($0)) } }
}

extension Column where Value == Double {
    /// Returns a column of shares: `98.1%`.
    package static func percent(_ title: String) -> Self { Self(title, isNumber: true) { Formats.percent($0) } }
}

extension Column where Value == Int64 {
    /// Returns a column of times in Unix milliseconds: `2026-11-14T03:00:00Z`.
    package static func time(_ title: String) -> Self { Self(title) { Formats.time(milliseconds: $0) } }
}

extension Column where Value == Bool {
    /// Returns a column that says yes, or `no` otherwise.
    package static func yes(_ title: String, no: String = "no") -> Self { Self(title) { $0 ? "yes" : no } }
}

/// Rows of an answer as a table for people, by the columns that their fields declare.
package struct AnswerTable: Sendable {
    package let headings: [ColumnHeading]
    /// The cells of each row, in the order of `headings`.
    package let rows: [[String]]

    /// Creates the table of some rows.
    ///
    /// - Parameter relations: the relations that have columns of their own, if the rows declare such.
    package init<Row: Answer>(_ rows: [Row], _ relations: [RelationDescription] = []) {
        func read(_ row: Row?) -> ColumnReader<Row> {
            var reader = ColumnReader(owner: row, relations: relations)
            Row.declare(&reader)
            return reader
        }
        headings = read(nil).headings
        self.rows = rows.map { read($0).cells }
    }
}

/// A receiver that reads the headings of the columns, and the cells of a row if there is one.
private struct ColumnReader<Owner: Answer>: FieldList {
    let owner: Owner?
    let relations: [RelationDescription]
    var headings: [ColumnHeading] = []
    var cells: [String] = []

    private mutating func add<Value>(_ column: Column<Value>?, _ value: (Owner) -> Value?) {
        guard let column else { return }
        headings.append(column.heading)
        if let owner { cells.append(column.cell(value(owner))) }
    }

    mutating func required<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        add(column()) { value($0) }
    }

    mutating func optional<Value: JSONValue>(
        _ name: StaticString, _ value: (Owner) -> Value?, as schema: @autoclosure () -> Schema?, _ help: StaticString,
        column: @autoclosure () -> Column<Value>?
    ) {
        add(column(), value)
    }

    mutating func commandLineOnly<Value: JSONValue>(_ name: StaticString, _ value: (Owner) -> Value?) {}

    mutating func part<Part: Answer>(_ part: (Owner) -> Part) {
        var reader = ColumnReader<Part>(owner: owner.map(part), relations: relations)
        Part.declare(&reader)
        headings += reader.headings
        cells += reader.cells
    }

    mutating func sizes(_ sizes: (Owner) -> RelationCounts, as properties: (RelationTable) -> [Schema.Property]) {}

    mutating func columns(_ columns: ([RelationDescription]) -> [Column<Owner>]) {
        for column in columns(relations) { add(column) { $0 } }
    }
}
