import Basics
package import Model
package import Recommendation

/// Photos that a member may like: `GET /v1/users/{id}/photos`, `coterie photos`.
package struct PhotosForMember: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var userId: String
    package var known: Bool
    package var photos: [Row]

    /// Creates an answer from photos in the order of the list.
    ///
    /// - Parameters:
    ///   - plan: the member's list of groups, which says why groups fit.
    ///   - isKnown: whether anything is known of the member.
    package init(
        _ version: ServedVersion, _ photos: [FittingPhoto], _ plan: Plan, for profile: MemberProfile, isKnown: Bool,
        _ planner: Planner
    ) {
        self.version = version
        userId = profile.userID
        known = isKnown
        let joined = Set(profile.joined.map(\.group))
        let wanted = Set(photos.flatMap { $0.groups.prefix(Self.groupLimit) })
        let items = plan.items.filter { wanted.contains($0.group) && !joined.contains($0.group) }
        let because = Dictionary(
            zip(items, planner.reasons(for: items, of: profile)).compactMap { item, reasons in
                reasons.first.map { (item.group, $0.seed) }
            }, uniquingKeysWith: { first, _ in first })
        let names = plan.interests.map { $0.name(in: planner.model) }
        self.photos = photos.enumerated().map { index, photo in
            Row(
                at: index, photo, interest: photo.interest.map { names[$0] },
                photo.groups.prefix(Self.groupLimit).map { group in
                    .init(group, isJoined: joined.contains(group), because: because[group], in: planner.model)
                })
        }
    }

    /// The most groups that a row names.
    private static let groupLimit = 3

    package static let schemaName: String? = "PhotosForMember"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("userId", \.userId, "The member")
        fields.always("known", \.known, "Whether anything is known of the member")
        fields.always("photos", \.photos, "Public photos, in the order in which they are shown")
    }

    /// A photo in a member's list.
    package struct Row: Answer, Equatable {
        package var rank: Int
        package var photo: GroupPhoto
        package var ownerId: String?
        package var score: Double
        package var interest: String?
        package var groups: [FittingGroup]
        package var likedBy: Int?

        init(at index: Int, _ fitting: FittingPhoto, interest: String?, _ groups: [FittingGroup]) {
            let photo = fitting.photo
            rank = index + 1
            self.photo = GroupPhoto(photoId: photo.id, url: nil, width: photo.width, height: photo.height)
            ownerId = photo.namesOwner ? photo.ownerID : nil
            score = photo.score
            self.interest = interest
            self.groups = groups
            likedBy = photo.admirers >= TasteFormula.leastMembers ? photo.admirers : nil
        }

        /// The reasons, for people.
        private var because: String {
            var reasons = groups.prefix(1).map { group in
                let name = Formats.name(group.groupId, group.title)
                if group.joined { return "in \(name), a group of the user" }
                return "in \(name)"
                    + (group.because.map { ", suggested for \(Formats.name($0.groupId, $0.title))" } ?? "")
            }
            if let likedBy { reasons.append("liked by \(likedBy) people of like taste") }
            return reasons.isEmpty ? "liked by people of like taste" : reasons.joined(separator: "; ")
        }

        package static let schemaName: String? = "PhotoForMember"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("rank", \.rank, as: .rank, "The position in the list, from 1", column: .rank("rank"))
            fields.part(\.photo)
            fields.sometimes(
                "ownerId", \.ownerId, "Whose photo it is; if that is known and may be said",
                column: .text("owner", upTo: 24, absent: ""))
            fields.always(
                "score", \.score, "How well it fits; comparable within the list", column: .fixed("score", 3))
            fields.sometimes(
                "interest", \.interest, "The name of the interest of its strongest group; if it has one",
                column: .text("interest", upTo: 28, absent: ""))
            fields.always("groups", \.groups, "The groups that it is in and that fit the member, the strongest first")
            fields.sometimes(
                "likedBy", \.likedBy, as: .count,
                "How many members of like taste like it; if there are at least three")
            fields.column(Column("because of", upTo: 90, \.because))
        }
    }

    /// A group that a photo is in, and why it fits the member.
    package struct FittingGroup: Answer, Equatable {
        package var groupId: String
        /// The group's title, which may be empty.
        package var title: String
        package var joined: Bool
        package var because: NamedGroup?

        init(_ group: UInt32, isJoined: Bool, because: UInt32?, in model: VisibleModel) {
            groupId = model.id(of: Int(group))
            title = model.title(of: Int(group))
            joined = isJoined
            self.because = because.map { NamedGroup($0, in: model) }
        }

        package static let schemaName: String? = "FittingGroup"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("groupId", \.groupId, "The group")
            fields.always("title", \.title, "Its title")
            fields.always("joined", \.joined, "Whether the member is in it; else it is in the member's list")
            fields.sometimes("because", \.because, "The group that brought it there; if one of the member's did")
        }
    }
}

/// A group with its title.
package struct NamedGroup: Answer, Equatable {
    package var groupId: String
    /// The group's title, which may be empty.
    package var title: String

    init(_ group: UInt32, in model: VisibleModel) {
        groupId = model.id(of: Int(group))
        title = model.title(of: Int(group))
    }

    package static let schemaName: String? = "NamedGroup"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("groupId", \.groupId, "The group")
        fields.always("title", \.title, "Its title")
    }
}

/// Members whom a member may want to know: `GET /v1/users/{id}/contacts`, `coterie contacts`.
package struct ContactsForMember: Answer, Equatable {
    /// The model version from which the answer is made.
    package var version: ServedVersion
    package var userId: String
    package var known: Bool
    package var contacts: [Row]

    /// Creates an answer from members, which must be best first.
    package init(
        _ version: ServedVersion, _ contacts: [TasteContact], userId: String, isKnown: Bool, limit: Int,
        in model: VisibleModel
    ) {
        self.version = version
        self.userId = userId
        known = isKnown
        self.contacts = contacts.lazy.compactMap { contact -> TasteContact? in
            let shown = contact.sharedGroups.filter(model.shows)
            return shown.isEmpty ? nil : TasteContact(id: contact.id, sharedGroups: shown, score: contact.score)
        }.prefix(limit).enumerated().map { Row(at: $0, $1, in: model) }
    }

    package static let schemaName: String? = "ContactsForMember"
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.part(\.version)
        fields.always("userId", \.userId, "The member")
        fields.always("known", \.known, "Whether anything is known of the member")
        fields.always("contacts", \.contacts, "Members who agreed to be shown, best first")
    }

    /// A member in the list of another one.
    package struct Row: Answer, Equatable {
        package var rank: Int
        package var userId: String
        package var score: Double
        package var sharedGroupCount: Int
        package var sharedGroups: [NamedGroup]

        init(at index: Int, _ contact: TasteContact, in model: VisibleModel) {
            rank = index + 1
            userId = contact.id
            score = contact.score
            sharedGroupCount = contact.sharedGroups.count
            sharedGroups = contact.sharedGroups.prefix(SuggestedGroup.reasonLimit).map { NamedGroup($0, in: model) }
        }

        package static let schemaName: String? = "ContactForMember"
        package static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("rank", \.rank, as: .rank, "The position in the list, from 1", column: .rank("rank"))
            fields.always("userId", \.userId, "The other member", column: .id("user"))
            fields.always(
                "score", \.score, "How well the two fit; comparable within the list", column: .fixed("score", 3))
            fields.always("sharedGroupCount", \.sharedGroupCount, as: .count, "How many public groups both are in")
            fields.always(
                "sharedGroups", \.sharedGroups, "Some of these groups, the one with the fewest members first")
            fields.column(
                Column("groups of both", upTo: 110) { row in
                    let more = row.sharedGroupCount - row.sharedGroups.count
                    return row.sharedGroups.map { Formats.name($0.groupId, $0.title) }.joined(separator: ", ")
                        + (more > 0 ? " and \(more) more" : "")
                })
        }
    }
}
