import SQLite

/// Something a member did with a group, as the catalog keeps it.
public struct InteractionRecord: Sendable, Equatable, Codable {
    /// What was done.
    public enum Kind: String, Sendable, CaseIterable, Codable {
        // The order is that of the numbers in the catalog: new ones go to the end.
        /// Became a member.
        case join
        /// Stopped being a member.
        case leave
        /// Said "not interested".
        case dismiss
        /// Took that back.
        case undismiss
        /// Opened the group from a list.
        case click
        /// Was shown the group in a list.
        case impression

        var code: Int64 { Int64(Self.allCases.firstIndex(of: self) ?? 0) }
        init?(code: Int64) {
            guard Self.allCases.indices.contains(Int(code)) else { return nil }
            self = Self.allCases[Int(code)]
        }

        /// Whether it says who is in a group.
        var changesMembership: Bool { self == .join || self == .leave }
    }

    /// What the client calls it, so that sending it again does nothing; a member has it once.
    public var id: String
    /// What was done.
    public var kind: Kind
    /// The group's external id.
    public var groupID: String
    /// When, in Unix milliseconds.
    public var atMilliseconds: Int64
    /// The list in which the group was shown, if there was one.
    public var recommendationID: String?
    /// The place it had there, from 1.
    public var position: Int?
    /// The variant of an experiment that the member was in.
    public var variant: String?

    /// An interaction.
    public init(
        id: String, _ kind: Kind, groupID: String, atMilliseconds: Int64, recommendationID: String? = nil,
        position: Int? = nil, variant: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.groupID = groupID
        self.atMilliseconds = atMilliseconds
        self.recommendationID = recommendationID
        self.position = position
        self.variant = variant
    }
}

/// What a member tells the catalog, or wants it to forget.
public struct MemberChange: Sendable, Equatable, Codable {
    /// What is to change.
    public enum Action: Sendable, Equatable, Codable {
        /// Keeps interactions, all or none of them; those whose id is known already are left as they are.
        case record([InteractionRecord])
        /// Forgets an interaction by its id, or all; memberships stay as they are.
        case forget(id: String?)
        /// Replaces the stated interests.
        case state(interests: [String])
    }

    /// What came of it.
    public enum Outcome: Sendable, Equatable {
        /// So many interactions were new, so many known already.
        case recorded(new: Int, repeated: Int)
        /// So many interactions are forgotten.
        case forgotten(Int)
        /// The interests are replaced.
        case stated
        /// Nothing was done: no group that is shown has the id that the interaction at this place of the batch names.
        case unknownGroup(at: Int)
        /// Nothing was done: there is no such member.
        case unknownMember
    }

    /// The member's external id.
    public var userID: String
    /// What is to change.
    public var action: Action

    /// A change.
    public init(ofUser userID: String, _ action: Action) {
        self.userID = userID
        self.action = action
    }
}

extension InteractionRecord {
    /// The interactions that rows have.
    ///
    /// - Parameter rows: of an id, a kind's number, a group's external id, a time, and what is known of the list it came from:
    ///   its id, the place in it and the variant.
    static func all(in rows: Statement) throws(DatabaseError) -> [InteractionRecord] {
        var interactions: [InteractionRecord] = []
        while try rows.step() {
            guard let kind = Kind(code: rows.integer(1)) else { continue }
            interactions.append(
                InteractionRecord(
                    id: rows.text(0), kind, groupID: rows.text(2), atMilliseconds: rows.integer(3),
                    recommendationID: rows.optionalText(4), position: rows.optionalInteger(5).map { Int($0) },
                    variant: rows.optionalText(6)))
        }
        return interactions
    }
}
