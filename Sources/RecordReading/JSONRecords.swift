import FoundationEssentials

/// A value of a JSON object, as far as a record can hold one.
enum FieldValue: Decodable {
    /// Null: as if the key were not there.
    case absent
    case text(String)
    /// A nested object, an array of anything but texts, a number that has no exact text.
    case unsupported

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .absent
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Int64.self) {
            self = .text(String(number))
        } else if let truth = try? container.decode(Bool.self) {
            self = .text(truth ? "true" : "false")
        } else if let number = try? container.decode(UInt64.self) {
            self = .text(String(number))
        } else if let number = try? container.decode(Double.self) {
            // From 2^63 on a Double stands for several whole numbers, and an id must not become another one.
            self = abs(number) < 0x1p63 ? .text("\(number)") : .unsupported
        } else if let texts = try? container.decode([String].self) {
            self = .text(texts.joined(separator: ";"))
        } else {
            self = .unsupported
        }
    }
}

/// The keys of one JSON object, each with its value if it means a wanted column.
struct JSONObject: DecodableWithConfiguration {
    /// Tells which names mean a wanted column.
    typealias DecodingConfiguration = (String) -> Bool

    /// In the order of their names.
    let members: [(name: String, value: FieldValue?)]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder, configuration isWanted: DecodingConfiguration) throws {
        let container = try decoder.container(keyedBy: Key.self)
        // The decoder has them in another order each time, and what is found wrong first must not depend on that.
        members = try container.allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
            let name = key.stringValue
            return (name, isWanted(name) ? try container.decode(FieldValue.self, forKey: key) : nil)
        }
    }
}

extension RecordReader {
    mutating func nextObject() throws(RecordError) -> RecordEvent {
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

    /// Reads the values of the object in a range; returns why it is rejected, if it is.
    private mutating func readObject(_ range: Range<Int>) -> RejectionReason? {
        jsonValues.removeAll(keepingCapacity: true)
        for column in bounds.indices { bounds[column] = FieldBounds(start: -1, end: -1) }
        let isWanted = { [table] (name: String) in table.column(named: name) != nil }
        let line = Data(input.bytes[range])
        guard let object = try? decoder.decode(JSONObject.self, from: line, configuration: isWanted) else {
            return .notAnObject
        }
        for (name, value) in object.members {
            guard let column = table.note(name), let value else { continue }
            if let reason = take(value, for: column) { return reason }
        }
        for (column, field) in zip(table.columns, bounds) where column.isRequired && field.start < 0 {
            return .missingColumn(column.name)
        }
        return nil
    }

    private mutating func take(_ value: FieldValue, for column: Int) -> RejectionReason? {
        let name = table.columns[column].name
        switch value {
        case .absent: return nil
        case .unsupported: return .unsupportedValue(column: name)
        case .text(let text):
            guard bounds[column].start < 0 else { return .repeatedColumn(name) }
            guard !text.utf8.contains(Byte.nul) else { return .nul }
            let start = jsonValues.count
            jsonValues.append(contentsOf: text.utf8)
            bounds[column] = FieldBounds(start: start, end: jsonValues.count)
            return nil
        }
    }
}
