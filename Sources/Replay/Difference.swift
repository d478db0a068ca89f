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
