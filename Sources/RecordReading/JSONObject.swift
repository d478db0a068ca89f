import FoundationEssentials

/// A value of a JSON object, as far as a record can hold one.
enum JSONValue: Decodable {
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
    let members: [(name: String, value: JSONValue?)]

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
            return (name, isWanted(name) ? try container.decode(JSONValue.self, forKey: key) : nil)
        }
    }
}
