import FoundationEssentials
import Tape

/// Puts pseudonyms in the place of members in bodies.
struct MemberNaming {
    private static let ids: Set = ["userId", "userIds"]
    private static let problems: Set = ["detail", "instance"]

    private let pseudonyms: Pseudonyms
    /// The path of the request, with pseudonyms in it.
    private let path: String

    init(_ pseudonyms: Pseudonyms, path: String) {
        self.pseudonyms = pseudonyms
        self.path = path
    }

    /// The body of a request; empty if it is not JSON.
    ///
    /// - Parameter members: gets the ids that it names.
    func request(_ body: [UInt8], noting members: inout [String]) -> [UInt8] {
        var named: [String] = []
        let rewritten = JSONTexts.rewritten(body, under: Self.ids) { _, id in
            named.append(id)
            return pseudonyms.pseudonym(of: id)
        }
        members += named
        return rewritten ?? []
    }

    /// The body of an answer; empty if it is neither JSON nor free of members.
    ///
    /// - Parameter members: the ids that the request names: problems quote them.
    func answer(_ body: [UInt8], about members: [String]) -> [UInt8] {
        // Metrics and other texts name no member.
        guard body.first == UInt8(ascii: "{") else { return body }
        let rewritten = JSONTexts.rewritten(body, under: Self.ids.union(Self.problems)) { key, text in
            switch key {
            case "instance": return path
            case "detail":
                // An entry is quoted as a group, a space and a member.
                return members.reduce(text) { text, id in
                    let name = pseudonyms.pseudonym(of: id)
                    return text.replacing("\"\(id)\"", with: "\"\(name)\"").replacing(" \(id)\"", with: " \(name)\"")
                }
            default: return pseudonyms.pseudonym(of: text)
            }
        }
        return rewritten ?? []
    }
}

/// Rewrites texts in JSON, and leaves all other bytes as they are.
enum JSONTexts {
    /// Replaces the texts that are values of some keys, or elements of lists that are.
    ///
    /// - Returns: nil if a text does not end, or one that is to be replaced is none.
    static func rewritten(_ json: [UInt8], under keys: Set<String>, _ replacement: (_ key: String, String) -> String)
        -> [UInt8]?
    {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var key = ""
        var index = 0
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                result.append(json[index])
                index += 1
                continue
            }
            guard let end = end(ofTextAt: index, in: json) else { return nil }
            let written = json[index..<end]
            index = end
            let next = json[end...].first { !" \n\r\t".utf8.contains($0) }
            if next == UInt8(ascii: ":") {
                key = decoded(written) ?? ""
                result += written
            } else if keys.contains(key) {
                guard let text = decoded(written) else { return nil }
                result += encoded(replacement(key, text))
            } else {
                result += written
            }
        }
        return result
    }

    /// The index behind the text that begins at a quotation mark; nil if it does not end.
    private static func end(ofTextAt start: Int, in json: [UInt8]) -> Int? {
        var index = start + 1
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    private static func decoded(_ written: ArraySlice<UInt8>) -> String? {
        guard written.contains(UInt8(ascii: "\\")) else {
            return String(validating: written.dropFirst().dropLast(), as: UTF8.self)
        }
        return try? JSONDecoder().decode(String.self, from: Data(written))
    }

    private static func encoded(_ text: String) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let bytes = try? encoder.encode(text) else { preconditionFailure("a text can be written as JSON") }
        return Array(bytes)
    }
}
