extension RecordReader {
    /// Reads the first line that is not empty, and finds the wanted columns in it.
    mutating func readHeader() throws(RecordError) {
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 16)
        let end = try findHeader()
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
            let found = names.map { "\"\(excerpt(of: $0))\"" }.joined(separator: ", ")
            throw headerError(
                .missingColumn,
                "there is no column \"\(column.name)\"; the header names \(found). Rename or add the column")
        }
        self.fieldOfColumn = fieldOfColumn
        stepOver(end.end, innerLineFeeds: end.innerLineFeeds)
    }

    /// Scans the header into `bounds`, one for each of its fields, without stepping over it.
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
                return scan
            case .complete, .tooManyFields:
                // How many there are is not known yet.
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
        bounds.map { field in
            let bytes = unsafe input.bytes[field.start..<field.end].withUnsafeBufferPointer {
                unsafe String(decoding: $0, as: UTF8.self)
            }
            return field.hasDoubledQuotes
                ? bytes.split(separator: "\"\"", omittingEmptySubsequences: false).joined(separator: "\"") : bytes
        }
    }

    private func headerError(_ code: RecordError.Code, _ message: String) -> RecordError {
        RecordError(code: code, source: source, line: line, message: message)
    }
}
