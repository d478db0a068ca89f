extension RecordReader {
    /// Reads the first line that is not empty, and finds the wanted columns in it.
    mutating func readHeader() throws(RecordError) {
        let scan = try findHeader()
        headerBytes = Array(input.bytes[input.start..<scan.end])
        if scan.hasDoubledQuotes { joinDoubledQuotes() }
        let names = headerNames
        var fieldOfColumn = [Int](repeating: -1, count: table.columns.count)
        for (field, name) in names.enumerated() {
            guard let column = table.note(name) else { continue }
            guard fieldOfColumn[column] < 0 else {
                throw headerError(.repeatedColumn, "the header has the column \"\(table.columns[column].name)\" twice")
            }
            fieldOfColumn[column] = field
        }
        for (column, field) in zip(table.columns, fieldOfColumn) where field < 0 {
            guard column.isRequired || column.sourceName != nil else { continue }
            throw headerError(
                .missingColumn,
                "there is no column \"\(column.wantedName)\"; the header names \(Self.listed(names)). "
                    + "Rename or add the column")
        }
        self.fieldOfColumn = fieldOfColumn
        stepOver(scan.end, innerLineFeeds: scan.innerLineFeeds)
    }

    /// Scans the header into `bounds`, one for each field, without stepping over it; finds out the delimiter if it is
    /// not known.
    private mutating func findHeader() throws(RecordError) -> DelimitedScan {
        guard !knowsDelimiter else { return try findHeader(delimiter) }
        // That by which most wanted columns are found; of equal ones that with most names, and the usual one first.
        let usual = format == .tsv ? RecordDelimiter.tab : .comma
        // With the usual one a header may be bad: then only one by which a wanted column is found is better.
        var best = (delimiter: usual, known: 0, names: Int.max)
        for candidate in [usual] + RecordDelimiter.allCases.filter({ $0 != usual }) {
            guard let scan = try? findHeader(candidate) else { continue }
            let (known, names) = (table.knownCount(headerNames), scan.fieldCount)
            if candidate == usual || (known, names) > (best.known, best.names) { best = (candidate, known, names) }
        }
        delimiter = best.delimiter
        format = delimiter == .tab ? .tsv : .csv
        knowsDelimiter = true
        return try findHeader(delimiter)
    }

    private mutating func findHeader(_ delimiter: RecordDelimiter) throws(RecordError) -> DelimitedScan {
        self.delimiter = delimiter
        bounds = [FieldBounds](repeating: FieldBounds(start: -1, end: -1), count: 16)
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
                    throw headerError(
                        .badHeader,
                        "the header \(fault)\(fault == .notUTF8 ? "; " + encodingAdvice(forSource: source) : "")")
                }
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
