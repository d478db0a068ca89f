package import Basics
import Changes

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
    /// - Returns: an empty body if the route reads none, or if the body is no JSON object; without blanks.
    func request(_ body: [UInt8], noting members: inout [String]) -> [UInt8] {
        guard let json = JSON(body) else {
            members += JSONText.texts(in: body)
            return []
        }
        // Unknown texts are noted too, because a problem may quote them.
        var named: [String] = []
        _ = json.replacingTexts { name, text in
            if let name, !Self.publicKeys.contains(name) { named.append(text) }
            return nil
        }
        members += named
        guard !fields.isEmpty, json.members != nil else { return [] }
        // A text that names a member in one place names the member in all.
        let known = Set(members)
        return json.keeping(fields).replacingTexts { _, text in
            known.contains(text) ? pseudonyms.pseudonym(of: text) : nil
        }.written()
    }

    /// Returns the body of an answer with pseudonyms.
    ///
    /// - Parameters:
    ///   - body: the body; one that does not begin with `{` names no member and stays as it is.
    ///   - members: the texts that were replaced in the request, because problems quote them.
    /// - Returns: an empty body if the body cannot be read as JSON.
    func answer(_ body: [UInt8], about members: [String]) -> [UInt8] {
        // Metrics and other texts name no members.
        guard body.first == UInt8(ascii: "{") else { return body }
        let known = Set(members)
        let replaced = JSON(body)?.replacingTexts { name, text in
            switch name {
            case nil: return nil
            case "instance"?: return path
            case "detail"?: return detail(text, about: members)
            case let name?:
                let isPrivate =
                    Self.privateKeys.contains(name) || !Self.publicKeys.contains(name) && known.contains(text)
                return isPrivate ? pseudonyms.pseudonym(of: text) : nil
            }
        }
        return replaced?.written() ?? []
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

extension JSON {
    /// Returns the document with other texts.
    ///
    /// - Parameters:
    ///   - name: the name of the member that has the document, or is around it.
    ///   - replacement: returns another text for a value or an element in a member, or `nil` to leave it as it is. The
    ///     name of a member comes without one.
    fileprivate func replacingTexts(
        in name: String = "", _ replacement: (_ name: String?, String) -> String?
    ) -> JSON {
        switch self {
        case .text(let text): .text(replacement(name, text) ?? text)
        case .list(let elements): .list(elements.map { $0.replacingTexts(in: name, replacement) })
        case .object(let members):
            .object(
                members.map { member in
                    let value = member.value.replacingTexts(in: member.name, replacement)
                    return (replacement(nil, member.name) ?? member.name, value)
                })
        case .null, .boolean, .number: self
        }
    }

    /// Returns the document without the members of all objects that have other names.
    fileprivate func keeping(_ names: Set<String>) -> JSON {
        switch self {
        case .list(let elements): .list(elements.map { $0.keeping(names) })
        case .object(let members):
            .object(members.compactMap { names.contains($0.name) ? ($0.name, $0.value.keeping(names)) : nil })
        case .null, .boolean, .number, .text: self
        }
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
