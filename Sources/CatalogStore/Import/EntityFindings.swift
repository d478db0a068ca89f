import RecordReading

/// The number of values with a property, and the place of the first.
struct CountedPlaces {
    private(set) var count = 0
    private(set) var first = ""

    /// Counts values of the current record.
    mutating func note(_ more: Int, _ reader: borrowing RecordReader) {
        guard more > 0 else { return }
        if count == 0 { first = "\(reader.source), line \(reader.line)" }
        count += more
    }

    /// Returns the finding about these values, or nil if there are none.
    ///
    /// - Parameters:
    ///   - one: the subject and the verb for one value, such as "list was".
    ///   - several: the subject and the verb for several values.
    ///   - rest: the rest of the sentence, before the place of the first value.
    func finding(_ kind: String, _ one: String, _ several: String, _ rest: String) -> ImportFinding? {
        guard count > 0 else { return nil }
        return ImportFinding(
            kind: kind, count: count,
            message: "\(count) \(count == 1 ? one : several) \(rest); the first is in \(first)")
    }
}

extension EntityWriter {
    /// The findings about the values of all rows.
    var findings: [ImportFinding] {
        var findings = [
            visibility.finding(table),
            arrays.finding("arrayLists", "list was", "lists were", #"read as an array, such as {a,b} or ["a","b"]"#),
            escapedTexts.finding(
                "escapedTexts", "text has", "texts have",
                "characters as HTML writes them, such as &amp;, and will be shown like that: decode them in the export"),
        ].compactMap(\.self)
        if hiddenByRejects.count > 0 {
            let rows = hiddenByRejects.count == 1 ? "1 public row is" : "\(hiddenByRejects.count) public rows are"
            findings.append(
                ImportFinding(
                    kind: "hiddenByRejects", count: hiddenByRejects.count,
                    message: """
                        \(rows) not shown any more, such as \(shown(hiddenByRejects.first)): the new line was rejected, \
                        and may have made it private; import a good line
                        """))
        }
        return findings + [times.finding].compactMap(\.self) + doubtfulIDs.findings
    }

    /// Whether a text has a character reference of HTML: `&amp;`, `&quot;`, `&lt;`, `&gt;`, `&apos;`, or a number.
    static func hasCharacterReference(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] == UInt8(ascii: "&") {
            var end = index + 1
            while end < text.count, end < index + 8, text[end] != UInt8(ascii: ";") { end += 1 }
            guard end < text.count, text[end] == UInt8(ascii: ";"), end > index + 2 else { continue }
            let name = text.extracting(index + 1..<end)
            if name[0] == UInt8(ascii: "#") || names.contains(where: { name.equals($0) }) { return true }
        }
        return false
    }

    private static let names = ["amp", "quot", "lt", "gt", "apos", "nbsp"].map { Array($0.utf8) }
}

extension Span<UInt8> {
    fileprivate func equals(_ other: [UInt8]) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}
