package import Basics
import Changes
import FoundationEssentials

/// Replaces the texts by which members can be known in bodies.
///
/// A client chooses the ids of its interactions, sessions and lists, and may put a member's id into each of them. So
/// everything in a request is replaced that is not known to name a group, a photo, an interest or a choice. Fields that
/// the route does not know are left out: nothing can be said about what is in them.
struct MemberNaming {
    /// The keys whose texts stay.
    private static let publicKeys: Set = [
        "kind", "groupId", "photoId", "groupIds", "topics", "interests", "joinPolicy", "exclude", "origin", "boosts",
        "boost", "group", "topic", "filters",
    ]
    /// The keys of answers whose texts members or clients chose.
    private static let privateKeys: Set = ["userId", "userIds", "id", "recommendationId", "variant", "session"]

    private let pseudonyms: Pseudonyms
    /// The path of the request, with pseudonyms.
    private let path: String
    /// The names of the fields that the route reads from a body; empty if it reads none.
    private let fields: Set<String>

    init(_ pseudonyms: Pseudonyms, path: String, fields: Set<String>) {
        self.pseudonyms = pseudonyms
        self.path = path
        self.fields = fields
    }

    /// Returns the body of a request with pseudonyms and without unknown fields.
    ///
    /// - Parameters:
    ///   - body: the body.
    ///   - members: receives the texts that were replaced.
    /// - Returns: an empty body if the route reads none, or if the texts of the body cannot be read as JSON.
    func request(_ body: [UInt8], noting members: inout [String]) -> [UInt8] {
        // Unknown texts are noted too, because a problem may quote them.
        var named: [String] = []
        _ = JSONTexts.rewritten(body) { key, text in
            if let key, !Self.publicKeys.contains(key) { named.append(text) }
            return nil
        }
        members += named
        guard !fields.isEmpty, let body = JSONTexts.keeping(fields, in: body) else { return [] }
        // A text that names a member in one place names the member in all.
        let known = Set(members)
        return JSONTexts.rewritten(body) { _, text in
            known.contains(text) ? pseudonyms.pseudonym(of: text) : nil
        } ?? []
    }

    /// Returns the body of an answer with pseudonyms.
    ///
    /// - Parameters:
    ///   - body: the body; one that does not begin with `{` names no member and stays as it is.
    ///   - members: the texts that were replaced in the request, because problems quote them.
    /// - Returns: an empty body if the texts of the body cannot be read as JSON.
    func answer(_ body: [UInt8], about members: [String]) -> [UInt8] {
        // Metrics and other texts name no members.
        guard body.first == UInt8(ascii: "{") else { return body }
        let known = Set(members)
        let rewritten = JSONTexts.rewritten(body) { key, text in
            switch key {
            case nil: return nil
            case "instance"?: return path
            case "detail"?: return detail(text, about: members)
            case let key?:
                let isPrivate = Self.privateKeys.contains(key) || !Self.publicKeys.contains(key) && known.contains(text)
                return isPrivate ? pseudonyms.pseudonym(of: text) : nil
            }
        }
        return rewritten ?? []
    }

    /// Returns the sentence of a problem, which may quote what the client sent.
    private func detail(_ text: String, about members: [String]) -> String {
        let replaced = members.sorted { $0.count > $1.count }.reduce(text) { text, id in
            let name = pseudonyms.pseudonym(of: id)
            return text.replacing("\"\(id)\"", with: "\"\(name)\"").replacing(" \(id)\"", with: " \(name)\"")
        }
        return pseudonyms.replacing(members, in: replaced)
    }
}

/// Rewrites texts in JSON, and leaves all other bytes unchanged.
enum JSONTexts {
    /// Replaces texts: keys, and values or elements of lists by their key.
    ///
    /// - Parameter replacement: returns another text, or `nil` to leave it as it is. A key itself has no key.
    /// - Returns: `nil` if a text does not end or is invalid.
    static func rewritten(_ json: [UInt8], _ replacement: (_ key: String?, String) -> String?) -> [UInt8]? {
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var key = ""
        var index = 0
        func add(_ written: Range<Int>, _ other: String?) {
            if let other { JSONText.append(other, to: &result) } else { result += json[written] }
        }
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                result.append(json[index])
                index += 1
                continue
            }
            guard let end = end(ofTextAt: index, in: json) else { return nil }
            let written = index..<end
            index = end
            let next = json[end...].first { !JSONText.isBlank($0) }
            if next == UInt8(ascii: ":") {
                key = decoded(written, json) ?? ""
                add(written, replacement(nil, key))
            } else {
                guard let text = decoded(written, json) else { return nil }
                add(written, replacement(key, text))
            }
        }
        return result
    }

    /// Leaves out the fields of all objects that have other names, with all that is in them.
    ///
    /// - Returns: `nil` if the bytes are no object, or a text or a value does not end.
    static func keeping(_ names: Set<String>, in json: [UInt8]) -> [UInt8]? {
        guard json.first(where: { !JSONText.isBlank($0) }) == UInt8(ascii: "{") else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(json.count)
        var index = 0
        while index < json.count {
            guard json[index] == UInt8(ascii: "\"") else {
                result.append(json[index])
                index += 1
                continue
            }
            guard let end = end(ofTextAt: index, in: json), let text = decoded(index..<end, json) else { return nil }
            let colon = json[end...].firstIndex { !JSONText.isBlank($0) }
            guard let colon, json[colon] == UInt8(ascii: ":"), !names.contains(text) else {
                result += json[index..<end]
                index = end
                continue
            }
            guard let next = self.end(ofValueAt: colon + 1, in: json) else { return nil }
            index = next
            if json[next] == UInt8(ascii: ",") {
                index += 1
            } else if let last = result.lastIndex(where: { !JSONText.isBlank($0) }), result[last] == UInt8(ascii: ",") {
                // It was the last field: the comma before it goes with it.
                result.remove(at: last)
            }
        }
        return result
    }

    /// Returns the index of the comma or bracket behind a value, or `nil` if there is none.
    private static func end(ofValueAt start: Int, in json: [UInt8]) -> Int? {
        var (index, depth) = (start, 0)
        while index < json.count {
            switch json[index] {
            case UInt8(ascii: "\""):
                guard let end = end(ofTextAt: index, in: json) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return index }
                depth -= 1
            case UInt8(ascii: ",") where depth == 0: return index
            default: break
            }
            index += 1
        }
        return nil
    }

    /// Returns the index after the text that begins at a quotation mark, or `nil` if it does not end.
    private static func end(ofTextAt start: Int, in json: [UInt8]) -> Int? {
        var index = start
        return JSONText.skip(json, at: &index, before: json.count) ? index : nil
    }

    private static func decoded(_ range: Range<Int>, _ json: [UInt8]) -> String? {
        var (text, index): ([UInt8], Int) = ([], range.lowerBound)
        guard JSONText.read(json, at: &index, before: range.upperBound, into: &text) == .whole else { return nil }
        return String(validating: text, as: UTF8.self)
    }
}

/// Pseudonyms of members: the first 8 bytes of HMAC-SHA256 (RFC 2104), in hexadecimal.
///
/// Only a person with the key can tell the member. A member has the same pseudonym on all tapes with the same key.
package struct Pseudonyms: Sendable {
    /// The least length of a key in bytes, inclusive.
    package static let keyMinimumByteCount = 16
    private static let byteCount = 8

    private let key: [UInt8]

    /// Creates pseudonyms from a key.
    ///
    /// - Throws: `Failure.badData` if the key is too short.
    package init(key: [UInt8]) throws(Failure) {
        guard key.count >= Self.keyMinimumByteCount else {
            throw Failure(
                .badData,
                "a key for pseudonyms must have \(Self.keyMinimumByteCount) bytes or more: it has \(key.count)"
            )
        }
        self.key = key
    }

    /// Returns the pseudonym of an id: 16 hexadecimal digits.
    package func pseudonym(of id: String) -> String {
        Hexadecimal.text(of: Authentication.code(of: Array(id.utf8), key: key).prefix(Self.byteCount))
    }

    /// Returns a text in which some texts are replaced wherever they stand as words of their own.
    func replacing(_ texts: [String], in text: String) -> String {
        func isWord(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        var result = text
        for name in Set(texts) where !name.isEmpty {
            var replaced = ""
            var rest = result[...]
            var before: Character?
            while let range = rest.firstRange(of: name) {
                let prefix = rest[..<range.lowerBound]
                let isWhole =
                    !isWord(prefix.last ?? before)
                    && !isWord(range.upperBound < rest.endIndex ? rest[range.upperBound] : nil)
                replaced += prefix + (isWhole ? pseudonym(of: name) : name)
                before = name.last
                rest = rest[range.upperBound...]
            }
            result = replaced + rest
        }
        return result
    }

    /// Returns a fingerprint of a text: the same function with a public key.
    package static func fingerprint(of text: String) -> String {
        Hexadecimal.text(of: Authentication.code(of: Array(text.utf8), key: Array("coterie".utf8)).prefix(byteCount))
    }
}
