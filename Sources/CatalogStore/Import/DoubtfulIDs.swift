/// The words that programs write for a missing value.
package enum NullWord {
    static let words = [
        "NULL", "null", "None", "nan", "NaN", "NaT", "NA", "N/A", "#N/A", "(null)", "undefined", "nil",
    ].map { Array($0.utf8) }

    /// The ids, in small letters, that probably stand for nothing.
    static let noIDs =
        words.map { String(decoding: $0, as: UTF8.self).lowercased() }
        + ["", "0", "-", #"\n"#, "deleted", "[deleted]"]

    /// Whether an id looks like no value, or is one that an import warns of.
    package static func isDoubtfulID(_ id: String) -> Bool {
        noIDs.contains(id.lowercased()) || ImportFinding.Kind(ofID: id.utf8Span.span) != nil
    }

    static func matches(_ field: Span<UInt8>) -> Bool {
        guard 2...9 ~= field.count else { return false }
        return words.contains { word in
            word.count == field.count && field.indices.allSatisfy { field[$0] == word[$0] }
        }
    }
}

extension ImportFinding.Kind {
    /// Finds the reason why an external id is suspicious, or returns nil if it is not.
    init?(ofID id: Span<UInt8>) {
        guard id.count > 1 else { return nil }
        let (first, last) = (id[0], id[id.count - 1])
        if Self.isDigit(first) || first == UInt8(ascii: "-") {
            if Self.isDigit(last), Self.isFraction(id) {
                self = .fractionIDs
                return
            }
            if Self.isDigit(last), Self.hasSeparators(id) {
                self = .separatedIDs
                return
            }
        } else if Self.isText(id) {
            self = .fractionIDs
            return
        } else if NullWord.matches(id) {
            self = .nullWordIDs
            return
        }
        // A quick test that nearly every id fails.
        guard first <= 0x20 || last <= 0x20 || first >= 0xC2 || last >= 0x80, Self.hasInvisibleEnd(id) else {
            return nil
        }
        self = .invisibleIDs
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

/// The character references of HTML.
enum CharacterReference {
    private static let names = ["amp", "quot", "lt", "gt", "apos", "nbsp"].map { Array($0.utf8) }

    /// Whether a text has a character reference of HTML: `&amp;`, `&quot;`, `&lt;`, `&gt;`, `&apos;`, or a number.
    static func isAny(in text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] == UInt8(ascii: "&") {
            var end = index + 1
            while end < text.count, end < index + 8, text[end] != UInt8(ascii: ";") { end += 1 }
            guard end < text.count, text[end] == UInt8(ascii: ";"), end > index + 2 else { continue }
            let name = text.extracting(index + 1..<end)
            if name[0] == UInt8(ascii: "#") || names.contains(where: { name.equals($0) }) { return true }
        }
        return false
    }
}

extension Span<UInt8> {
    fileprivate func equals(_ other: [UInt8]) -> Bool {
        count == other.count && indices.allSatisfy { self[$0] == other[$0] }
    }
}
