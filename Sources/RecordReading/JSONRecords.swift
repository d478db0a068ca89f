import Basics

/// A reader of the wanted columns of one JSON object.
///
/// A value in any other column is skipped up to the next comma, and need not be JSON. Python's `json`, for example,
/// writes NaN.
struct JSONObjectReader {
    private let bytes: [UInt8]
    private let end: Int
    private var index: Int
    private(set) var faults: [FieldFault] = []
    /// Whether the object has had a key of each column.
    private var isSeen: [Bool]
    /// The number of objects of extended JSON around the current value.
    private var depth = 0

    /// - Parameter range: The place of the object in `bytes`; blanks around the object are allowed.
    init(_ bytes: [UInt8], _ range: Range<Int>, columnCount: Int) {
        self.bytes = bytes
        (index, end) = (range.lowerBound, range.upperBound)
        isSeen = [Bool](repeating: false, count: columnCount)
    }

    /// Reads all members of the object.
    ///
    /// - Parameter bounds: Receives the place of each column's text in `values`.
    /// - Returns: The reason why the record is rejected, if it is.
    mutating func read(
        _ table: inout ColumnTable, into values: inout [UInt8], _ bounds: inout [FieldBounds]
    ) -> RejectionReason? {
        // A file that was appended to another one may bring its own byte order mark.
        if bytes[index..<end].starts(with: [0xEF, 0xBB, 0xBF]) { index += 3 }
        guard take(UInt8(ascii: "{")) else { return .notAnObject }
        var (key, isFirst) = (String?.none, true)
        while true {
            if isFirst, take(UInt8(ascii: "}")) { break }
            isFirst = false
            let start = values.count
            skipBlanks()
            guard text(into: &values) != .broken else { return .brokenObject(after: key) }
            let name = String(decoding: values[start...], as: UTF8.self)
            values.removeLast(values.count - start)
            key = name
            guard take(UInt8(ascii: ":")) else { return .brokenObject(after: key) }
            skipBlanks()
            if let column = table.note(name) {
                guard !isSeen[column] else { return .repeatedColumn(table.columns[column].name) }
                isSeen[column] = true
                let wanted = table.columns[column]
                switch value(of: wanted, into: &values) {
                case .none: return .brokenObject(after: key)
                case .text: bounds[column] = FieldBounds(start: start, end: values.count)
                case .absent: break
                case .bad(let cause):
                    values.removeLast(values.count - start)
                    let reason = RejectionReason.unsupportedValue(column: wanted.name, cause: cause)
                    guard !wanted.isRequired else { return reason }
                    faults.append(FieldFault(column: column, reason: reason))
                }
            } else if !skipValue() {
                return .brokenObject(after: key)
            }
            if take(UInt8(ascii: ",")) { continue }
            guard take(UInt8(ascii: "}")) else { return .brokenObject(after: key) }
            break
        }
        skipBlanks()
        return index == end ? nil : .brokenObject(after: key)
    }

    private enum Value {
        case text, absent
        case bad(String)
    }

    private mutating func skipBlanks() {
        while index < end, Byte.isBlank(bytes[index]) { index += 1 }
    }

    /// Skips blanks, and takes the next byte if it is `byte`.
    private mutating func take(_ byte: UInt8) -> Bool {
        skipBlanks()
        guard index < end, bytes[index] == byte else { return false }
        index += 1
        return true
    }
}

// MARK: - Values

extension JSONObjectReader {
    /// Reads the value of a wanted column; returns nil if the line is not JSON.
    private mutating func value(of column: RecordColumn, into values: inout [UInt8]) -> Value? {
        guard index < end else { return nil }
        let start = values.count
        switch bytes[index] {
        case Byte.quote:
            switch text(into: &values) {
            case .broken: return nil
            case .halfSurrogate: return .bad("has half of a surrogate pair")
            case .whole: return checked(values[start...])
            }
        case UInt8(ascii: "["):
            let place = index
            if column.isList, list(into: &values) { return checked(values[start...]) }
            index = place
            guard skipValue() else { return nil }
            guard column.isVector else {
                return .bad(column.isList ? "is an array of other things than texts" : "is an array")
            }
            values += bytes[place..<index]
            return checked(values[start...])
        case UInt8(ascii: "{"):
            let place = index
            if let value = extended(column, into: &values) { return value }
            index = place
            values.removeLast(values.count - start)
            return skipValue() ? .bad("is an object") : nil
        default: return word(of: column, into: &values)
        }
    }

    /// Reads an object of one key of MongoDB's extended JSON, such as `{"$oid": "…"}`; returns nil for other objects.
    private mutating func extended(_ column: RecordColumn, into values: inout [UInt8]) -> Value? {
        guard depth < 2 else { return nil }
        let start = values.count
        index += 1
        skipBlanks()
        guard index < end, bytes[index] == Byte.quote, text(into: &values) == .whole else { return nil }
        let name = String(decoding: values[start...], as: UTF8.self)
        values.removeLast(values.count - start)
        let isKnown = ["$oid", "$date", "$uuid", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"]
            .contains(name)
        guard isKnown, take(UInt8(ascii: ":")) else { return nil }
        skipBlanks()
        depth += 1
        defer { depth -= 1 }
        guard let value = value(of: column, into: &values), take(UInt8(ascii: "}")) else { return nil }
        return value
    }

    private func checked(_ text: ArraySlice<UInt8>) -> Value {
        text.contains(Byte.nul) ? .bad("has a NUL character") : .text
    }

    /// Reads an array of texts, joined with `;`; returns false if the value is anything else.
    private mutating func list(into values: inout [UInt8]) -> Bool {
        let start = values.count
        index += 1
        if take(UInt8(ascii: "]")) { return true }
        while true {
            skipBlanks()
            guard text(into: &values) == .whole else { return false }
            if take(UInt8(ascii: "]")) { return true }
            guard take(UInt8(ascii: ",")), values.count >= start else { return false }
            values.append(UInt8(ascii: ";"))
        }
    }

    /// Reads null, true, false or a number.
    private mutating func word(of column: RecordColumn, into values: inout [UInt8]) -> Value? {
        let start = index
        guard skipValue() else { return nil }
        let word = String(decoding: bytes[start..<index], as: UTF8.self)
        switch word {
        case "null": return .absent
        case "true", "false":
            if column.isID { return .bad("is \(word)") }
            values += word.utf8
            return .text
        default: break
        }
        guard let isWhole = Self.isWholeNumber(bytes[start..<index]) else {
            // Python writes these words.
            return ["NaN", "Infinity", "-Infinity"].contains(word) ? .bad("is \(word)") : nil
        }
        if isWhole {
            values += word == "-0" ? [UInt8(ascii: "0")] : Array(word.utf8)
            return .text
        }
        // From 2⁵³ on, one Double stands for several whole numbers. An id must not become another id.
        guard let number = Double(word), abs(number) < 0x1p53 else {
            return .bad("is a number that cannot be kept exactly")
        }
        let whole = Int64(exactly: number)
        if column.isID, whole == nil { return .bad("is a fraction") }
        values += (whole.map { "\($0)" } ?? "\(number)").utf8
        return .text
    }

    /// Whether a number has neither a fraction nor an exponent; nil if the bytes are not a number.
    private static func isWholeNumber(_ bytes: ArraySlice<UInt8>) -> Bool? {
        var rest = bytes
        func digits() -> Int { rest.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }.count }
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = digits()
        guard whole > 0, whole == 1 || rest.first != UInt8(ascii: "0") else { return nil }
        rest.removeFirst(whole)
        if rest.isEmpty { return true }
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            let fraction = digits()
            guard fraction > 0 else { return nil }
            rest.removeFirst(fraction)
        }
        if let first = rest.first, first | 0x20 == UInt8(ascii: "e") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            let exponent = digits()
            guard exponent > 0 else { return nil }
            rest.removeFirst(exponent)
        }
        return rest.isEmpty ? false : nil
    }

    /// Skips a value of any kind; returns false if there is none, or if it does not end.
    private mutating func skipValue() -> Bool {
        let start = index
        var depth = 0
        while index < end {
            switch bytes[index] {
            case Byte.quote:
                guard skipText() else { return false }
                if depth == 0 { return true }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index > start }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return true
                }
            case UInt8(ascii: ","), UInt8(ascii: " "), Byte.tab, Byte.carriageReturn:
                if depth == 0 { return index > start }
            default: break
            }
            index += 1
        }
        return false
    }

    private mutating func skipText() -> Bool { JSONText.skip(bytes, at: &index, before: end) }

    private mutating func text(into values: inout [UInt8]) -> JSONText.Outcome {
        JSONText.read(bytes, at: &index, before: end, into: &values)
    }
}

extension RecordReader {
    mutating func nextObject() throws(Failure) -> RecordEvent {
        while true {
            guard try moveToNextLine() else { return .end }
            let window = window
            let lineFeed = lineFeed(in: window.start..<window.stop)
            if lineFeed == nil, window.isFull {
                return giveUpLine(window, .tooLong(maximumBytes: maximumRecordBytes))
            }
            guard lineFeed != nil || window.isAtEnd else {
                try readMore()
                continue
            }
            let range = window.start..<(lineFeed ?? window.stop)
            let facts = facts(of: range)
            guard !facts.isBlank else {
                stepOver(range.upperBound, innerLineFeeds: 0)
                continue
            }
            recordRange = range
            let reason = fault(in: range, hasNul: facts.hasNul, highBits: facts.highBits) ?? readObject(range)
            if reason == .notAnObject { try refuseStrayLine(window) }
            let event = reason.map { reject(range, $0) } ?? .record
            stepOver(range.upperBound, innerLineFeeds: 0)
            return event
        }
    }

    private func facts(of range: Range<Int>) -> (isBlank: Bool, hasNul: Bool, highBits: UInt8) {
        let bytes = input.bytes.span
        var facts = (isBlank: true, hasNul: false, highBits: UInt8(0))
        for index in range {
            facts.isBlank = facts.isBlank && Byte.isBlank(bytes[index])
            facts.hasNul = facts.hasNul || bytes[index] == Byte.nul
            facts.highBits |= bytes[index]
        }
        return facts
    }

    /// Reads the values of the object in a range; returns the reason why it is rejected, if it is.
    private mutating func readObject(_ range: Range<Int>) -> RejectionReason? {
        jsonValues.removeAll(keepingCapacity: true)
        for column in bounds.indices { bounds[column] = FieldBounds(start: -1, end: -1) }
        var object = JSONObjectReader(input.bytes, range, columnCount: bounds.count)
        if let reason = object.read(&table, into: &jsonValues, &bounds) { return reason }
        faults = object.faults
        for (column, field) in zip(table.columns, bounds) where column.isRequired && field.start < 0 {
            return .missingColumn(column.name)
        }
        return nil
    }
}
