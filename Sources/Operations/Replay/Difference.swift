import FoundationEssentials

/// How an answer differs from the one that was recorded.
public struct Difference: Sendable, Equatable {
    /// The kinds, from the least to the greatest difference.
    public enum Kind: String, Sendable, CaseIterable {
        /// Nothing but what may differ.
        case identical
        /// The same groups in the same order; something else differs, such as a score.
        case otherValues
        /// The same groups in another order.
        case reordered
        /// Other groups.
        case otherGroups
        /// Another status.
        case otherStatus
        /// There was no answer.
        case failed
    }

    /// The kind.
    public var kind: Kind
    /// The mean over the lists of groups in the answer of the part of the first 10 that is the same; nil without lists.
    public var overlap: Double?
    /// Groups that were not there before, in the order of the answer.
    public var came: [String] = []
    /// Groups that are there no more, in the order of the recorded answer.
    public var went: [String] = []

    /// How many groups at the top of a list the overlap looks at.
    static let depth = 10

    /// Compares two answers.
    ///
    /// - Parameters:
    ///   - recorded: status and body.
    ///   - answer: status and body; nil if there was no answer.
    public init(
        recorded: (status: Int, body: [UInt8]), answer: (status: Int, body: [UInt8])?, rules: ReplayRules
    ) {
        guard let answer else {
            kind = .failed
            return
        }
        guard answer.status == recorded.status else {
            kind = .otherStatus
            return
        }
        let (before, now) = (JSONTree(recorded.body), JSONTree(answer.body))
        guard let before, let now else {
            kind = recorded.body == answer.body ? .identical : .otherValues
            return
        }
        let (old, new) = (RankedLists(before), RankedLists(now))
        overlap = old.overlap(with: new, depth: Self.depth)
        came = new.groups(notIn: old)
        went = old.groups(notIn: new)
        kind =
            if rules.normalised(before) == rules.normalised(now) {
                .identical
            } else if old.lists == new.lists {
                .otherValues
            } else if old.sets == new.sets {
                .reordered
            } else {
                .otherGroups
            }
    }

    /// A known outcome.
    init(_ kind: Kind, overlap: Double? = nil) {
        self.kind = kind
        self.overlap = overlap
    }
}

/// The lists of groups in an answer: those whose elements have a `rank` and a `groupId`.
struct RankedLists {
    /// The groups of each list in their order, by where the list stands.
    private(set) var lists: [String: [String]] = [:]

    init(_ tree: JSONTree) { collect(tree, at: "") }

    private mutating func collect(_ tree: JSONTree, at place: String) {
        switch tree {
        case .object(let members):
            for (name, value) in members { collect(value, at: "\(place).\(name)") }
        case .list(let elements):
            let groups = elements.compactMap { $0["rank"] == nil ? nil : $0["groupId"]?.text }
            if !groups.isEmpty, groups.count == elements.count {
                lists[place] = groups
            } else {
                for (index, element) in elements.enumerated() { collect(element, at: "\(place)[\(index)]") }
            }
        case .null, .boolean, .number, .text: break
        }
    }

    /// The groups of each list without their order.
    var sets: [String: Set<String>] { lists.mapValues { Set($0) } }

    /// The mean over the lists of both of |A ∩ B| ÷ max(|A|, |B|), with A and B the first groups of a list in one and
    /// in the other; nil if neither has a list.
    func overlap(with other: RankedLists, depth: Int) -> Double? {
        let places = Set(lists.keys).union(other.lists.keys)
        guard !places.isEmpty else { return nil }
        let shares = places.map { place in
            let left = Set((lists[place] ?? []).prefix(depth)), right = Set((other.lists[place] ?? []).prefix(depth))
            return Double(left.intersection(right).count) / Double(max(left.count, right.count))
        }
        return shares.reduce(0, +) / Double(shares.count)
    }

    /// The groups that are in no list of the same place of another answer; lists in the order of their places.
    func groups(notIn other: RankedLists) -> [String] {
        lists.sorted { $0.key < $1.key }.flatMap { place, groups in
            let known = Set(other.lists[place] ?? [])
            return groups.filter { !known.contains($0) }
        }
    }
}

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
