import RecordReading

extension ImportKind.Column {
    /// Returns the items of a list with `;` between them and without blanks around them, or nil if there are none.
    ///
    /// A list may also be an array, as databases and programs write it into one field.
    func list(_ column: Int, in reader: borrowing RecordReader) -> (joined: String?, isArray: Bool) {
        let text = reader.text(column)
        let elements = ArrayText.elements(of: text)
        let items = (elements?.flatMap { $0.split(separator: ";") } ?? text.split(separator: ";"))
            .map(Self.withoutOuterBlanks)
        let joined = items.filter { !$0.isEmpty }.joined(separator: ";")
        return (joined.isEmpty ? nil : joined, elements != nil)
    }

    private static func withoutOuterBlanks(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " }
        while text.last == " " { text.removeLast() }
        return text
    }

    /// Whether a list is already in the form of `list`: no array, no empty items, and no blanks around items.
    static func isTidy(_ list: Span<UInt8>) -> Bool {
        var previous = UInt8(ascii: ";")
        var index = 0
        if list.count > 0, list[0] == UInt8(ascii: "{") || list[0] == UInt8(ascii: "[") { return false }
        while index < list.count {
            let byte = list[index]
            if byte == UInt8(ascii: ";") || byte == UInt8(ascii: " ") {
                if previous == UInt8(ascii: ";") { return false }
                if byte == UInt8(ascii: ";"), previous == UInt8(ascii: " ") { return false }
            }
            previous = byte
            index += 1
        }
        return previous != UInt8(ascii: ";") && previous != UInt8(ascii: " ")
    }
}

/// The text of an array in one field, as PostgreSQL (`{a,"b c"}`), JSON (`["a","b"]`), Python and DuckDB write it.
enum ArrayText {
    /// Returns the elements of an array, or nil if the text is none, or one of other things than texts.
    ///
    /// In braces, a backslash stands for the character after it. In brackets, it is an escape of JSON. A word such as
    /// `NULL` without quotes is no element.
    static func elements(of text: String) -> [String]? {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count > 1, let (first, last) = scalars.first.map({ ($0, scalars[scalars.count - 1]) }),
            first == "{" && last == "}" || first == "[" && last == "]"
        else { return nil }
        var rest = scalars[1..<scalars.count - 1]
        var elements: [String] = []
        while true {
            skipBlanks(&rest)
            guard let next = rest.first else { return elements }
            if next == "\"" || next == "'" {
                guard let element = quoted(&rest, isJSON: first == "[") else { return nil }
                elements.append(element)
            } else {
                guard let element = bare(&rest) else { return nil }
                if !element.isEmpty, !NullWord.matches(element.utf8Span.span) { elements.append(element) }
            }
            skipBlanks(&rest)
            if rest.isEmpty { return elements }
            guard rest.removeFirst() == "," else { return nil }
        }
    }

    private static func skipBlanks(_ rest: inout ArraySlice<Unicode.Scalar>) {
        while let first = rest.first, first.properties.isWhitespace { rest.removeFirst() }
    }

    /// Reads an element without quotes, up to the next comma.
    private static func bare(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        let element = rest.prefix { $0 != "," }
        guard !element.contains(where: { "{}[]\":\\".unicodeScalars.contains($0) }) else { return nil }
        rest.removeFirst(element.count)
        return withoutInvisible(String(String.UnicodeScalarView(element)))
    }

    /// Reads an element in quotes of either kind.
    private static func quoted(_ rest: inout ArraySlice<Unicode.Scalar>, isJSON: Bool) -> String? {
        let quote = rest.removeFirst()
        var element = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == quote { return String(element) }
            guard scalar == "\\" else {
                element.append(scalar)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            switch (escaped, isJSON) {
            case ("n", true), ("t", true), ("r", true), ("b", true), ("f", true): element.append(" ")
            case ("u", true):
                guard var units = unit(&rest).map({ [$0] }) else { return nil }
                // A character beyond the first 65,536 is written as two escapes.
                if UTF16.isLeadSurrogate(units[0]), rest.starts(with: "\\u".unicodeScalars) {
                    rest.removeFirst(2)
                    guard let second = unit(&rest) else { return nil }
                    units.append(second)
                }
                element.append(contentsOf: String(decoding: units, as: UTF16.self).unicodeScalars)
            default: element.append(escaped)
            }
        }
        return nil
    }

    /// Reads the four hexadecimal digits of an escape of JSON.
    private static func unit(_ rest: inout ArraySlice<Unicode.Scalar>) -> UInt16? {
        let digits = String(String.UnicodeScalarView(rest.prefix(4)))
        guard digits.utf8.count == 4, digits.utf8.first != UInt8(ascii: "+"), let unit = UInt16(digits, radix: 16)
        else { return nil }
        rest.removeFirst(4)
        return unit
    }
}
