/// Something a member did, from which profiles are computed.
///
/// The group is given by its index in a model version.
package struct Interaction: Sendable, Equatable {
    /// The kind of action.
    package enum Kind: String, Sendable, CaseIterable, Codable {
        /// The member joined the group.
        case join
        /// The member left the group.
        case leave
        /// The member said "not interested".
        case dismiss
        /// The member took a dismissal back.
        case undismiss
        /// The member opened the group from a list.
        case click
        /// The member was shown the group in a list.
        case impression
        /// The member likes a photo.
        case favourite
        /// The member no longer likes a photo.
        case unfavourite
        /// The member follows another one.
        case follow
        /// The member no longer follows another one.
        case unfollow
        /// The member looked at the group for some seconds.
        case view
        /// The member wants to be shown no groups, for some time or for good.
        case pause
        /// The member wants to be shown groups again.
        case resume

        /// The kinds of thing that an interaction can be about.
        package enum Subject: String, Sendable, CaseIterable {
            case group
            case photo
            /// Another member.
            case user
        }

        /// A change of a table of pairs, such as memberships: the latest one of a pair counts.
        package struct PairChange: Sendable, Equatable {
            package let source: RelationSource
            /// Whether the pair is in the table afterwards.
            package let adds: Bool
        }

        /// All there is to say of a kind; the effect is nil if it is about no group.
        ///
        /// A number is never used for anything else again.
        private var facts: (number: Int64, subject: Subject?, pairs: PairChange?, effect: Effect?) {
            switch self {
            case .join: (0, .group, PairChange(source: .memberships, adds: true), .join)
            case .leave: (1, .group, PairChange(source: .memberships, adds: false), .leave)
            case .dismiss: (2, .group, nil, .dismiss)
            case .undismiss: (3, .group, nil, .undismiss)
            case .click: (4, .group, nil, .click)
            case .impression: (5, .group, nil, .impression)
            case .favourite: (6, .photo, PairChange(source: .favourites, adds: true), nil)
            case .unfavourite: (7, .photo, PairChange(source: .favourites, adds: false), nil)
            case .follow: (8, .user, PairChange(source: .follows, adds: true), nil)
            case .unfollow: (9, .user, PairChange(source: .follows, adds: false), nil)
            case .view: (10, .group, nil, .click)
            case .pause: (11, nil, nil, nil)
            case .resume: (12, nil, nil, nil)
            }
        }

        /// The shortest view that counts, in seconds.
        package static let leastViewSeconds = 10

        /// Returns the effect of an interaction on the member's profile; nil if it has none.
        ///
        /// - Parameter seconds: the time that the member looked at the group, for a view.
        package func effect(seconds: Int?) -> Effect? {
            self == .view && seconds ?? 0 < Self.leastViewSeconds ? nil : facts.effect
        }

        /// Its number in catalogs, journals and streams.
        package var number: Int64 { facts.number }

        /// The kind of thing that it is about; nil if it is about the member's own list.
        package var subject: Subject? { facts.subject }

        /// Its change of a table of pairs; nil if it changes none.
        package var pairChange: PairChange? { facts.pairs }

        /// The kind of a number; nil if this program knows none.
        package init?(number: Int64) {
            guard let kind = Self.allCases.first(where: { $0.number == number }) else { return nil }
            self = kind
        }

        /// Returns the numbers of the kinds that change a table of pairs, separated as in SQL.
        package static func numbers(changing source: RelationSource) -> String {
            allCases.filter { $0.pairChange?.source == source }.map { String($0.number) }.joined(separator: ", ")
        }

        /// The numbers of all kinds that change a table of pairs, separated as in SQL.
        package static let pairNumbers =
            allCases.filter { $0.pairChange != nil }.map { String($0.number) }.joined(separator: ", ")

        /// The numbers of all kinds that are about groups, separated as in SQL.
        package static let groupNumbers =
            allCases.filter { $0.subject == .group }.map { String($0.number) }.joined(separator: ", ")

        /// The numbers of the kinds that begin and end a pause, separated as in SQL.
        package static let pauseNumbers = "\(Self.pause.number), \(Self.resume.number)"

        /// The tables of pairs that interactions change.
        package static let changedSources = allCases.compactMap(\.pairChange).filter(\.adds).map(\.source)
    }

    /// The effects that interactions have on a profile.
    package enum Effect: Sendable, CaseIterable {
        /// The member is in the group.
        case join
        /// The member is no longer in the group.
        case leave
        /// The member does not want to see the group.
        case dismiss
        /// The member may see the group again.
        case undismiss
        /// Earlier impressions of the group do not count.
        case click
        /// The member has seen the group in a list.
        case impression
    }

    package var effect: Effect
    /// The group's index in the model.
    package var group: UInt32
    /// The time of the action, in Unix milliseconds.
    package var atMilliseconds: Int64

    package init(_ effect: Effect, group: UInt32, atMilliseconds: Int64) {
        self.effect = effect
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// A group that a member dismissed as not interesting.
package struct Dismissal: Sendable, Equatable {
    /// The group's index in the model.
    package var group: UInt32
    /// The time of the dismissal, in Unix milliseconds; published to the second.
    package var atMilliseconds: Int64

    package init(group: UInt32, atMilliseconds: Int64) {
        self.group = group
        self.atMilliseconds = atMilliseconds
    }
}

/// The number of times a member was shown a group without a click.
package struct Exposure: Sendable, Equatable {
    /// The group's index in the model.
    package var group: UInt32
    /// The number of impressions since the last click, above 0.
    ///
    /// Each impression is halved for every half-life that has passed since. The number is published in thousandths.
    package var impressions: Double

    package init(group: UInt32, impressions: Double) {
        self.group = group
        self.impressions = impressions
    }
}
