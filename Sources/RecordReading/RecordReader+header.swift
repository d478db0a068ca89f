extension RecordReader {
    /// Reads the first line that is not empty, and finds the wanted columns in it.
    mutating func readHeader() throws(RecordError) {
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 16)
        let scan = try findHeader()
        let names = headerNames
        var fieldOfColumn = [Int](repeating: -1, count: table.columns.count)
        for (field, name) in names.enumerated() {
            guard let column = table.note(name) else { continue }
            guard fieldOfColumn[column] < 0 else {
                throw headerError(.repeatedColumn, "the header has the column \"\(table.columns[column].name)\" twice")
            }
            fieldOfColumn[column] = field
        }
        for (column, field) in zip(table.columns, fieldOfColumn) where column.isRequired && field < 0 {
            let found = Self.listed(names)
            throw headerError(
                .missingColumn,
                "there is no column \"\(column.name)\"; the header names \(found). Rename or add the column")
        }
        self.fieldOfColumn = fieldOfColumn
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
    }

    /// Scans the header into `bounds`, one for each field, without stepping over it.
    private mutating func findHeader() throws(RecordError) -> DelimitedScan {
        while true {
            guard try moveToNextLine() else {
                throw headerError(.empty, "it is empty; its first line must name the columns")
            }
            let window = window
            let scan = scanRecord(window)
            switch scan.outcome {
            case .complete where isEmptyLine(window, scan.end): stepOver(scan.end, innerLineFeeds: 0)
            case .complete where scan.fieldCount <= bounds.count:
                bounds.removeLast(bounds.count - scan.fieldCount)
                if let fault = fault(in: window.start..<scan.end, hasNul: scan.hasNul, highBits: scan.highBits) {
                    throw headerError(.badHeader, "the header \(fault); save the file as UTF-8")
                }
                if scan.hasDoubledQuotes { joinDoubledQuotes() }
                return scan
            case .complete, .tooManyFields:
                // The number of columns is not known yet.
                bounds += bounds
            case .needsMore, .startsWithQuote: try readMore()
            case .tooLong:
                let reason = RejectionReason.tooLong(maximumBytes: maximumRecordBytes)
                throw headerError(.badHeader, "the header \(reason); the first line must name the columns")
            case .unclosedQuote: throw headerError(.badHeader, "the header \(RejectionReason.unclosedQuote)")
            case .textAfterQuote: throw headerError(.badHeader, "the header \(RejectionReason.textAfterQuote)")
            }
        }
    }

    private var headerNames: [String] {
        bounds.map { String(decoding: input.bytes[$0.start..<$0.end], as: UTF8.self) }
    }

    /// The names of a header for a message; only the first 20.
    private static func listed(_ names: [String]) -> String {
        let shown = names.prefix(20).map { "\"\(excerpt(of: $0))\"" }.joined(separator: ", ")
        return names.count > 20 ? "\(shown) and \(names.count - 20) more" : shown
    }

    private func headerError(_ code: RecordError.Code, _ message: String) -> RecordError {
        RecordError(code: code, source: source, line: line, message: message)
    }
}
