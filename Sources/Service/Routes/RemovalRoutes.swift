import Basics
import CatalogStore
import Changes
import HTTP
import Model

extension Endpoint {
    /// Returns the endpoints that remove data which the site has deleted.
    static func removals(of relations: RelationTable) -> [Endpoint] {
        [
            removal(
                "forgetMember", "/v1/users/{id}",
                "Forgets a member for good: no import, interaction or journal brings the member back",
                [.member], [.ownPhotos]
            ) { call in
                .member(call.id, withPhotos: call.parameters.text("photos") == Parameter.removingPhotos)
            },
            removal("removeGroup", "/v1/groups/{id}", "Removes a group, and all that belongs to it", [.group]) {
                .group($0.id)
            },
            removal(
                "removePhoto", "/v1/photos/{id}", "Removes a photo, also from the pools that it is in",
                [Parameter("id", .identifier, "The photo's id", example: "4711")]
            ) { .photo($0.id) },
        ] + relations.tabled.compactMap(\.source).map { removal(ofEntry: $0) }
    }

    private static func removal(ofEntry source: RelationSource) -> Endpoint {
        let (table, entries) = (source.table, source.entries)
        let name = entries == .users ? "user" : "photo"
        let title = table.withCapital
        return removal(
            "removeFrom\(title)", "/v1/groups/{id}/\(table)/{\(name)}",
            "Removes a \(name) from the \(table) of a group",
            [
                .group,
                Parameter(
                    name, .identifier, "The \(name)'s id", example: entries == .users ? "laura-100" : "4711",
                    isMember: entries == .users),
            ]
        ) { call in
            let entry = call.path[name]
            return switch entries {
            case .users: .user(entry, ofGroup: call.id, table: table)
            case .photos: .pooled(entry, ofGroup: call.id, table: table)
            }
        }
    }

    private static func removal(
        _ name: String, _ pattern: String, _ summary: String, _ path: [Parameter], _ parameters: [Parameter] = [],
        subject: @escaping @Sendable (Call) -> RemovalChange.Subject
    ) -> Endpoint {
        Endpoint(
            name, .delete, pattern, .admin(.operate), summary: summary, path: path, parameters: parameters,
            caching: .never,
            problems: [.notFound, .notImplemented, .serviceUnavailable]
        ) { (call) throws(Problem) in try call.remove(subject(call)) }
    }
}

extension Parameter {
    fileprivate static let group = Parameter("id", .identifier, "The group's id", example: "macro-mondays")
    fileprivate static let removingPhotos = "remove"
    fileprivate static let ownPhotos = Parameter(
        "photos", .choice(["keep", removingPhotos], standard: "keep"),
        "Whether the member's photos stay, without an owner, or are removed too")
}

extension Call {
    /// Applies a change that forgets a member; no session and no exposure that waits keeps anything of the member.
    ///
    /// - Parameter user: the member; nil if the change forgets nobody.
    func forgetting<Outcome>(
        _ user: String?, _ apply: () throws(Problem) -> Outcome
    ) throws(Problem) -> Outcome {
        guard let user else { return try apply() }
        let lists = responder.lists
        lists.experiments?.exposures.forget(user)
        let outcome = try apply()
        try orUnavailable { () throws(Failure) in try lists.sessions?.forgetAll(ofUser: user) }
        // The first note came before the sessions were forgotten, so the change is noted again.
        lists.changes.memberChanged(user)
        return outcome
    }

    /// Applies a removal, which takes effect at once.
    ///
    /// - Throws: a `Problem` of status 404 if there is nothing to remove.
    @discardableResult
    func remove(_ subject: RemovalChange.Subject) throws(Problem) -> PendingRemoval {
        let community = try community(with: .removals)
        let change = RemovalChange(subject, atMilliseconds: responder.now())
        let outcome = try forgetting(change.forgottenUserID) { () throws(Problem) in
            try orUnavailable { () throws(Failure) in try community.apply(change) }
        }
        switch outcome {
        case .pending:
            noted(.removal(change))
            return PendingRemoval(pending: true)
        case .unknown: throw .nothingToRemove(subject)
        }
    }
}

extension Problem {
    fileprivate static func nothingToRemove(_ subject: RemovalChange.Subject) -> Problem {
        switch subject {
        case .member(let id, _), .account(let id): .unknown(.unknownUser, "user", id: id, near: [])
        case .group(let id): .unknown(.unknownGroup, "group", id: id, near: [])
        case .photo(let id): .unknown(.unknownPhoto, "photo", id: id, near: [])
        case .user(let id, let group, let table), .pooled(let id, let group, let table):
            .unknown(.unknownEntry, "\(table) entry", id: "\(group) \(id)", near: [])
        }
    }
}
