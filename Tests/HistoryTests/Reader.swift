import CatalogStore
import Changes
import Model
import Recommendation

@testable import Service

/// The readers that answer questions about members.
enum ReaderName: String, Sendable, CaseIterable {
    case folder1 = "daemon 1 beside the folder"
    case folder2 = "daemon 2 beside the folder"
    case folderCommand = "command line beside the folder"
    case redis1 = "daemon 1 beside Redis"
    case redis2 = "daemon 2 beside Redis"
    case redisWithCatalog = "daemon beside Redis with the catalog"
    case redisCommand = "command line beside Redis"

    /// Whether profiles come from a version and not from the catalog, so that files show in the next version only.
    var readsVersions: Bool { [.redis1, .redis2, .redisWithCatalog].contains(self) }
    /// Whether photos, contacts and what photos point to are known.
    var hasCatalog: Bool { self != .redis1 && self != .redis2 }
}

/// A reader at one moment.
struct Reader {
    let name: ReaderName
    let snapshot: VisibleSnapshot
    private let community: any CommunityReader

    init(_ name: ReaderName, _ snapshot: VisibleSnapshot, _ community: any CommunityReader) {
        (self.name, self.snapshot, self.community) = (name, snapshot, community)
    }

    /// Whether a group is shown.
    func shows(_ group: String) -> Bool { snapshot.model.index(ofID: group) != nil }

    /// The groups that are hidden or curated, in order.
    var decisions: [String] {
        let model = snapshot.model
        return Names.groups.filter { !shows($0) }.map { "\($0) hidden" }
            + model.curated.map { "\(model.id(of: Int($0.group))) curated" }
    }

    /// Returns the answer about a member; that about an unknown member is empty.
    func answer(_ member: String, at instant: Int64, isThorough: Bool) throws -> Answer {
        let found = try community.profile(ofUser: member, in: snapshot, atMilliseconds: instant)
        let profile = found ?? MemberProfile(userID: member)
        let model = snapshot.model
        func id(_ group: UInt32) -> String { model.id(of: Int(group)) }
        var answer: Answer = [
            .joined: profile.joined.map { id($0.group) },
            .dismissed: profile.dismissals.map { id($0.group) },
            .shown: profile.exposures.map { "\(id($0.group)) ×\(Int($0.impressions.rounded()))" },
            .interests: profile.topics,
            .pause: profile.pause.map { pause in
                [pause.endSeconds == 0 ? "over" : pause.endSeconds.map { "until \($0)" } ?? "for good"]
            } ?? [],
            .hints: profile.hints.map { "\($0.kind.rawValue) \(id($0.group)) ×\($0.count)" },
        ]
        if let source = community as? any CommunitySource {
            let isForgotten = try source.isForgotten(user: member)
            let history = try source.interactions(ofUser: member, after: nil, latestFirst: false, limit: 99)
            // Routes answer 404 then.
            answer[.history] =
                isForgotten ? [] : history?.map { "\($0.kind.rawValue) \($0.subjectID) of slot \($0.id)" }
            let stated = try source.interests(ofUser: member)
            if found != nil, stated != profile.topics { answer[.interests]? += ["but states \(stated)"] }
        }
        guard isThorough else { return answer }
        let taste = MemberTaste(
            MemberContext(snapshot, PlanRequest(profile: profile, atMilliseconds: instant)))
        answer[.list] = taste.plan.items.map { id($0.group) }
        if name.hasCatalog {
            answer[.photos] = try community.photos(for: taste).map(\.id)
            answer[.contacts] = try community.contacts(for: taste, limit: 20).map(\.id)
        }
        return answer
    }
}
