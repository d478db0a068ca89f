import RecordReading

/// The words that programs write for a missing value.
enum NullWord {
    private static let words = [
        "NULL", "null", "None", "nan", "NaN", "NaT", "NA", "N/A", "#N/A", "(null)", "undefined", "nil",
    ].map { Array($0.utf8) }

    static func matches(_ field: Span<UInt8>) -> Bool {
        guard 2...9 ~= field.count else { return false }
        return words.contains { word in
            word.count == field.count && field.indices.allSatisfy { field[$0] == word[$0] }
        }
    }
}

/// The reason why an external id is suspicious.
enum IDDoubt: String, CaseIterable {
    /// A word for a missing value, such as `NULL`.
    case nullWord = "nullWordIds"
    /// A number as spreadsheets write it, such as `42.0`, `5.17885E+10` or `="00123"`.
    case fraction = "fractionIds"
    /// A number with separators between its thousands, such as `1,234,567`.
    case thousands = "separatedIds"
    /// Blanks or invisible characters at the beginning or the end.
    case invisible = "invisibleIds"

    init?(_ id: Span<UInt8>) {
        guard id.count > 1 else { return nil }
        let (first, last) = (id[0], id[id.count - 1])
        if Self.isDigit(first) || first == UInt8(ascii: "-") {
            if Self.isDigit(last), Self.isFraction(id) {
                self = .fraction
                return
            }
            if Self.isDigit(last), Self.hasSeparators(id) {
                self = .thousands
                return
            }
        } else if Self.isText(id) {
            self = .fraction
            return
        } else if NullWord.matches(id) {
            self = .nullWord
            return
        }
        // A quick test that nearly every id fails.
        guard first <= 0x20 || last <= 0x20 || first >= 0xC2 || last >= 0x80, Self.hasInvisibleEnd(id) else {
            return nil
        }
        self = .invisible
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") <= 9 }

    /// Whether the id is one to three digits, and then at least two groups of three digits behind equal separators.
    ///
    /// One group alone may be a fraction or a version.
    private static func hasSeparators(_ id: Span<UInt8>) -> Bool {
        let first = (id.count - 1) % 4 + 1
        guard id.count > 8, first < 4 else { return false }
        let separator = id[first]
        guard separator == UInt8(ascii: ",") || separator == UInt8(ascii: ".") || separator == UInt8(ascii: " ")
        else { return false }
        return id.indices.allSatisfy { ($0 - first) % 4 == 0 && $0 >= first ? id[$0] == separator : isDigit(id[$0]) }
    }

    /// Whether the id is a number that a spreadsheet was told to keep as text: `="00123"` or `'00123`.
    private static func isText(_ id: Span<UInt8>) -> Bool {
        id[0] == UInt8(ascii: "=") && id[1] == UInt8(ascii: "\"") || id[0] == UInt8(ascii: "'") && isDigit(id[1])
    }

    /// Whether the id is digits followed by `.0`, or a number with `e+`.
    private static func isFraction(_ id: Span<UInt8>) -> Bool {
        var index = isDigit(id[0]) ? 0 : 1
        while index < id.count, isDigit(id[index]) { index += 1 }
        guard index < id.count, index > 0 else { return false }
        var isZero = true
        if id[index] == UInt8(ascii: ".") {
            index += 1
            while index < id.count, isDigit(id[index]) {
                isZero = isZero && id[index] == UInt8(ascii: "0")
                index += 1
            }
            if index == id.count { return isZero }
        }
        guard id[index] | 0x20 == UInt8(ascii: "e"), index + 2 < id.count, id[index + 1] == UInt8(ascii: "+") else {
            return false
        }
        return (index + 2..<id.count).allSatisfy { isDigit(id[$0]) }
    }

    private static func hasInvisibleEnd(_ id: Span<UInt8>) -> Bool {
        let text = unsafe id.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        return [text.unicodeScalars.first, text.unicodeScalars.last].contains { scalar in
            guard let properties = scalar?.properties else { return false }
            return properties.isWhitespace || properties.generalCategory == .format
        }
    }
}

/// Suspicious ids of an import.
///
/// They are imported unchanged, and counted.
struct DoubtfulIDs {
    private var rows: [IDDoubt: Int] = [:]
    private var ids: [IDDoubt: Set<String>] = [:]
    /// The largest number of different ids to remember for each reason.
    private static let limit = 10_000

    /// Counts rows with a suspicious id.
    mutating func note(_ doubt: IDDoubt, _ id: String, rows count: Int = 1) {
        rows[doubt, default: 0] += count
        if ids[doubt, default: []].count < Self.limit { ids[doubt, default: []].insert(id) }
    }

    /// One finding for each reason that occurred.
    var findings: [ImportFinding] {
        IDDoubt.allCases.compactMap { doubt in
            guard let count = rows[doubt], let ids = ids[doubt], let example = ids.min() else { return nil }
            let rows = count == 1 ? "1 row" : "\(count) rows"
            let number = ids.count < Self.limit ? "\(ids.count)" : "\(Self.limit) or more"
            let shown = RecordReading.shown(example)
            let what =
                switch doubt {
                case .nullWord:
                    "the word \"\(shown)\" as an id: --null \(shown) takes it for no value"
                case .fraction:
                    "ids like \"\(shown)\": a spreadsheet or a data frame may have changed them"
                case .thousands:
                    "ids like \"\(shown)\": the export separates thousands, and they may be known without"
                case .invisible:
                    "ids like \"\(shown)\", with blanks or invisible characters around: each is another id than \""
                        + RecordReading.shown(withoutInvisible(example)) + "\""
                }
            return ImportFinding(
                kind: doubt.rawValue, count: count,
                message: "\(rows), \(number) id\(number == "1" ? "" : "s"), have \(what)")
        }
    }
}
