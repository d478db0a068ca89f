import FoundationEssentials

/// A JSON document, of which the order of members and the writing of numbers do not matter.
indirect enum JSONTree: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case list([JSONTree])
    case object([String: JSONTree])

    /// Reads a document; nil if the bytes are none.
    init?(_ bytes: [UInt8]) {
        guard let tree = try? JSONDecoder().decode(JSONTree.self, from: Data(bytes)) else { return nil }
        self = tree
    }

    /// The member of an object; nil if it has none of the name, or this is no object.
    subscript(name: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text; nil if it is none.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}

extension JSONTree: Decodable {
    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let boolean = try? value.decode(Bool.self) {
            self = .boolean(boolean)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let text = try? value.decode(String.self) {
            self = .text(text)
        } else if let members = try? value.decode([String: JSONTree].self) {
            self = .object(members)
        } else {
            self = .list(try value.decode([JSONTree].self))
        }
    }
}
