import Basics
import RecordReading

/// A part of the files that the import may have misread.
package struct ImportFinding: Sendable, Equatable {
    package var kind: Kind
    /// The number of rows, values or lines concerned.
    package var count: Int
    /// A message for a person: the finding, and the action that helps.
    package var message: String

    /// The kinds of findings in the order in which they are told; the raw value is the name for programs.
    package enum Kind: String, Sendable, CaseIterable {
        case suspectColumns, unreadableValues, futureTimes, repeatedHeaders, joinedLines, unendedFiles, keptEscapes
        case overruledVisibilities, arrayLists, escapedTexts, hiddenByRejects, timesAtChange
        /// External ids that are words for a missing value, such as `NULL`.
        case nullWordIDs = "nullWordIds"
        /// External ids that are numbers as spreadsheets write them, such as `42.0`, `5.17885E+10` or `="00123"`.
        case fractionIDs = "fractionIds"
        /// External ids that are numbers with separators between their thousands, such as `1,234,567`.
        case separatedIDs = "separatedIds"
        /// External ids with blanks or invisible characters at the beginning or the end.
        case invisibleIDs = "invisibleIds"
        case refusedTimes, likelyReturns
    }
}

/// The findings of an import while it runs.
final class ImportFindings {
    /// The findings of one kind about one subject, such as a column.
    struct Noted {
        /// The name of a column or of a kind, or the end of the message; empty if the kind is about all rows.
        let subject: String
        var count = 0
        /// The place or the id of the first.
        let first: String
        /// The different ids, at most `idLimit`.
        var ids: Set<String> = []

        /// Returns the count, with one word or another for what is counted.
        func counted(_ one: String, _ several: String) -> String { "\(count) \(count == 1 ? one : several)" }
    }

    /// The largest number of different ids to remember for each kind.
    static let idLimit = 10_000

    private var noted: [ImportFinding.Kind: [Noted]] = [:]
    /// The number of times without a zone.
    private(set) var timesWithoutZone = 0

    /// Counts something.
    func note(
        _ kind: ImportFinding.Kind, _ count: Int = 1, of subject: String = "", first: @autoclosure () -> String = "",
        id: String? = nil
    ) {
        guard count > 0 else { return }
        // Taken out, so that nothing is copied.
        var all = noted.removeValue(forKey: kind) ?? []
        let place = all.firstIndex { $0.subject == subject } ?? all.count
        if place == all.count { all.append(Noted(subject: subject, first: first())) }
        all[place].count += count
        if let id, all[place].ids.count < Self.idLimit { all[place].ids.insert(id) }
        noted[kind] = all
    }

    /// Counts values of the current record.
    func note(_ kind: ImportFinding.Kind, _ count: Int = 1, in reader: borrowing RecordReader) {
        guard count > 0 else { return }
        note(kind, count, first: "\(reader.source), line \(reader.line)")
    }

    /// Takes a time of the current record.
    func note(_ time: WrittenTime, in reader: borrowing RecordReader) {
        if !time.hasZone { timesWithoutZone += 1 }
        if time.isAtChange { note(.timesAtChange, in: reader) }
    }

    /// The first place or id of a kind, or nil if nothing of the kind was noted.
    func first(of kind: ImportFinding.Kind) -> String? { noted[kind]?.first?.first }

    /// The findings in the order of their kinds; of a kind, those of the columns in their order.
    func all(in columns: [ImportKind.Column]) -> [ImportFinding] {
        ImportFinding.Kind.allCases.flatMap { kind in
            let ranks = (noted[kind] ?? []).enumerated().map { index, noted in
                (columns.firstIndex { $0.name == noted.subject } ?? columns.count + index, noted)
            }
            return ranks.sorted { $0.0 < $1.0 }.map { _, noted in
                ImportFinding(kind: kind, count: noted.count, message: kind.message(noted))
            }
        }
    }
}

extension ImportFinding.Kind {
    /// Returns the sentence for a person.
    fileprivate func message(_ noted: ImportFindings.Noted) -> String {
        let (count, subject, first, isOne) = (noted.count, noted.subject, noted.first, noted.count == 1)
        switch self {
        case .suspectColumns:
            return """
                the column \(subject) was passed over: if it says that a row is private, deleted or not valid, leave \
                such rows out of the files; if not, say --ignore \(subject)
                """
        case .unreadableValues:
            return """
                \(count) \(subject) could not be read and \(isOne ? "is" : "are") unknown (--strict refuses that); the \
                first is \(first)
                """
        case .futureTimes:
            return """
                \(count) \(subject) \(isOne ? "is" : "are") more than five minutes ahead of this machine's clock, and \
                unknown (--strict refuses that): see whether a zone (--timezone) or a clock is wrong; the first is \
                \(first)
                """
        case .repeatedHeaders: return noted.counted("repeated header was", "repeated headers were") + " passed over"
        case .joinedLines:
            return """
                \(count) quoted over lines that could be records by themselves, the first at \(first): see whether a \
                quote is missing there
                """
        case .unendedFiles: return subject
        case .keptEscapes:
            return """
                backslashes were kept as they stand, \(count) in all; if they are escapes, as COPY and mysql write \
                them, say --format copy or --format mysql, with --delimiter comma for commas
                """
        case .overruledVisibilities, .arrayLists, .escapedTexts, .hiddenByRejects, .timesAtChange:
            return messageOfValues(noted)
        case .nullWordIDs, .fractionIDs, .separatedIDs, .invisibleIDs: return messageOfIDs(noted)
        case .refusedTimes:
            return """
                \(count) \(subject) \(isOne ? "was" : "were") ahead of the clock in an earlier import, and \
                \(isOne ? "stays" : "stay") unknown
                """
        case .likelyReturns:
            return """
                \(noted.counted("hidden group looks", "hidden groups look")) like a new one by the title; if they are \
                the same: \(subject)
                """
        }
    }

    private func messageOfValues(_ noted: ImportFindings.Noted) -> String {
        let first = noted.first
        return switch self {
        case .overruledVisibilities:
            """
            \(noted.counted("public row", "public rows")) came after a private row of the same \(noted.subject), such \
            as \(shown(first)): it is private until another import says otherwise
            """
        case .arrayLists:
            noted.counted("list was", "lists were")
                + #" read as an array, such as {a,b} or ["a","b"]; the first is in "# + first
        case .escapedTexts:
            """
            \(noted.counted("text has", "texts have")) characters as HTML writes them, such as &amp;, and will be \
            shown like that: decode them in the export; the first is in \(first)
            """
        case .hiddenByRejects:
            """
            \(noted.counted("public row is", "public rows are")) not shown any more, such as \(shown(first)): the new \
            line was rejected, and may have made it private; import a good line
            """
        default:
            """
            \(noted.counted("time is", "times are")) in an hour that the clocks of --timezone show twice or leave \
            out, and \(noted.count == 1 ? "counts" : "count") as before the change; the first is in \(first)
            """
        }
    }

    private func messageOfIDs(_ noted: ImportFindings.Noted) -> String {
        let example = noted.ids.min() ?? ""
        let (number, id) = (noted.ids.count, shown(example))
        let what =
            switch self {
            case .nullWordIDs: "the word \"\(id)\" as an id: --null \(id) takes it for no value"
            case .separatedIDs: "ids like \"\(id)\": the export separates thousands, and they may be known without"
            case .invisibleIDs:
                "ids like \"\(id)\", with blanks or invisible characters around: each is another id than "
                    + "\"\(shown(withoutInvisible(example)))\""
            default: "ids like \"\(id)\": a spreadsheet or a data frame may have changed them"
            }
        let ids = number == 1 ? "1 id" : "\(number)\(number < ImportFindings.idLimit ? "" : " or more") ids"
        return "\(noted.counted("row", "rows")), \(ids), have \(what)"
    }
}
