import Basics

/// The difference between an answer and the recorded one.
package struct Difference: Sendable, Equatable {
    /// The kinds of difference, from the smallest to the greatest.
    package enum Kind: String, Sendable, CaseIterable {
        /// No difference beyond the ignored members.
        case identical
        /// The same groups in the same order, but another value differs, such as a score.
        case otherValues
        /// The same groups in another order.
        case reordered
        case otherGroups
        case otherStatus
        case failed
    }

    package var kind: Kind
    /// The overlap of the first 10 groups, as a mean over all lists, or `nil` without lists.
    package var overlap: Double?
    /// The groups that are only in the new answer, in its order.
    package var came: [String] = []
    /// The groups that are only in the recorded answer, in its order.
    package var went: [String] = []
    /// The versions that the recorded answer and the new one name, or `nil` if they name none.
    package var versions: (recorded: String?, now: String?)?
    /// The groups of all lists, as recorded and now.
    var groups: (recorded: [String], now: [String]) = ([], [])

    /// The number of groups at the top of a list that count for the overlap.
    static let depth = 10

    /// Compares two answers.
    ///
    /// - Parameters:
    ///   - answer: the status and the body of the new answer, or `nil` if there was none.
    ///   - rules: the members that are not compared.
    package init(
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
        let (before, now) = (JSON(recorded.body), JSON(answer.body))
        guard let before, let now else {
            kind = recorded.body == answer.body ? .identical : .otherValues
            return
        }
        let (old, new) = (RankedLists(before), RankedLists(now))
        overlap = old.overlap(with: new, depth: Self.depth)
        versions = (before["modelVersion"]?.text, now["modelVersion"]?.text)
        groups = (old.all, new.all)
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

    /// Returns whether two differences are of one kind, with the same overlap and groups.
    package static func == (one: Difference, other: Difference) -> Bool {
        one.kind == other.kind && one.overlap == other.overlap && one.came == other.came && one.went == other.went
    }
}

/// The lists of groups in an answer: all lists whose elements have a `rank` and a `groupId`.
struct RankedLists {
    /// The groups of each list in their order, by the place of the list in the document.
    private(set) var lists: [String: [String]] = [:]

    init(_ tree: JSON) { collect(tree, at: "") }

    private mutating func collect(_ tree: JSON, at place: String) {
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

    /// The groups of all lists, in the order of the lists' places.
    var all: [String] { lists.sorted { $0.key < $1.key }.flatMap(\.value) }

    /// The groups of each list, without their order.
    var sets: [String: Set<String>] { lists.mapValues { Set($0) } }

    /// Returns the mean of |A ∩ B| ÷ max(|A|, |B|) over all lists.
    ///
    /// A and B are the first groups of a list in this answer and in the other.
    ///
    /// - Parameters:
    ///   - other: the other answer.
    ///   - depth: the number of groups in A and in B, at most.
    /// - Returns: `nil` if neither answer has a list.
    func overlap(with other: RankedLists, depth: Int) -> Double? {
        let places = Set(lists.keys).union(other.lists.keys)
        guard !places.isEmpty else { return nil }
        let shares = places.map { place in
            let left = Set((lists[place] ?? []).prefix(depth)), right = Set((other.lists[place] ?? []).prefix(depth))
            return Double(left.intersection(right).count) / Double(max(left.count, right.count))
        }
        return shares.reduce(0, +) / Double(shares.count)
    }

    /// Returns the groups that the list at the same place of another answer does not have.
    ///
    /// They are in the order of the lists' places, then in the order of each list.
    func groups(notIn other: RankedLists) -> [String] {
        lists.sorted { $0.key < $1.key }.flatMap { place, groups in
            let known = Set(other.lists[place] ?? [])
            return groups.filter { !known.contains($0) }
        }
    }
}
