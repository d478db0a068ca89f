import Glibc
import Model

/// The information of a membership: a group of few members tells much about them, a group of nearly all tells nothing.
///
/// A membership of a group of n members among N has log₂(N / n) bits. The measure is the inverse document frequency of
/// Spärck Jones, "A statistical interpretation of term specificity" (1972).
struct Telling: Sendable {
    /// The number of members in no group that a community is assumed to have besides.
    ///
    /// A small club may well have a subject that most of its members like.
    private static let assumedOthers = 50.0

    private let model: VisibleModel
    private let membership: Relation
    private let memberCount: Double
    /// The mean over all memberships, in bits.
    private let meanBits: Double

    /// Measures the groups of a model; `nil` if the number of members or the relation of memberships is not known.
    ///
    /// - Complexity: O(groups).
    init?(in model: VisibleModel, _ configuration: PlanConfiguration) {
        guard let memberCount = configuration.memberCount,
            let membership = configuration.relations[.membership]?.relation
        else { return nil }
        self.model = model
        self.membership = membership
        self.memberCount = Double(memberCount)
        var (bits, memberships) = (0.0, 0.0)
        for size in configuration.relations.sizes(in: .membership, model) where size > 0 {
            bits += Double(size) * Self.bits(Double(size), of: self.memberCount)
            memberships += Double(size)
        }
        meanBits = memberships > 0 ? bits / memberships : 1
    }

    private static func bits(_ size: Double, of memberCount: Double) -> Double {
        log2((memberCount + assumedOthers) / max(1, min(size, memberCount)))
    }

    /// Returns the information of a membership of a group in bits, above 0.
    private func bits(of group: UInt32) -> Double {
        Self.bits(Double(model.size(of: Int(group), in: membership)), of: memberCount)
    }

    /// Returns the factor of all that a joined group contributes: its bits, relative to the mean of all memberships.
    func factor(of group: UInt32) -> Double { bits(of: group) / meanBits }

    /// Returns the part of a group that counts where groups are counted: its bits, at most 1.
    ///
    /// It is below 1 for groups of more than half of the members.
    func part(of group: UInt32) -> Double { min(1, bits(of: group)) }
}

extension Planner {
    /// Returns the part of a group that counts where groups are counted, 0 to 1; 0 for one that is not shown.
    func part(of group: UInt32) -> Double { model.shows(group) ? telling?.part(of: group) ?? 1 : 0 }

    /// Returns the joined groups that the list is made from: the most recent ones if there are too many.
    func recentGroups(_ profile: MemberProfile) -> [UInt32] {
        let known = profile.joined.filter { model.shows($0.group) }
        let limit = configuration.interests.groupLimit
        guard known.count > limit else { return known.map(\.group) }
        let latest = known.sorted {
            ($0.atMilliseconds ?? .min, $1.group) > ($1.atMilliseconds ?? .min, $0.group)
        }
        return latest.prefix(limit).map(\.group).sorted()
    }
}
