import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recommendation
import Recompute
import TestSupport
import Testing

/// A community of text, with what the search must find in it, worked out plainly.
private struct TasteCommunity {
    var groups: [(id: String, isPublic: Bool, isHidden: Bool)] = []
    var photos: [(id: String, owner: String?, isPublic: Bool)] = []
    var listed: [String: Bool?] = [:]
    var memberships: Set<[String]> = []
    var pools: Set<[String]> = []
    var favourites: Set<[String]> = []
    var follows: Set<[String]> = []

    var users: [String] { listed.keys.sorted() }

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        func isOneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
        groups = (0..<20).map { ("g\($0)", !isOneOf(5), isOneOf(6)) }
        for user in 0..<90 { listed["u\(user)"] = isOneOf(4) ? .some(nil) : isOneOf(3) ? false : true }
        let users = self.users
        photos = (0..<150).map { ("p\($0)", isOneOf(3) ? nil : users.randomElement(using: &generator), !isOneOf(6)) }
        for user in users {
            for group in groups where isOneOf(6) { memberships.insert([group.id, user]) }
            for photo in photos where isOneOf(20) { favourites.insert([user, photo.id]) }
            for other in users where isOneOf(25) { follows.insert([user, other]) }
        }
        for photo in photos { for group in groups where isOneOf(14) { pools.insert([group.id, photo.id]) } }
    }

    func load(into community: SmallCommunity) throws {
        func text(_ header: String, _ rows: [[String]]) -> String {
            header + "\n" + rows.map { $0.joined(separator: ",") + "\n" }.joined()
        }
        func sorted(_ pairs: Set<[String]>) -> [[String]] { pairs.sorted { $0.joined() < $1.joined() } }
        try community.importing(
            .groups, text("group_id,visibility", groups.map { [$0.id, $0.isPublic ? "public" : "private"] }))
        try community.importing(
            .users, text("user_id,listed", users.map { [$0, (listed[$0] ?? nil).map { $0 ? "yes" : "no" } ?? ""] }))
        try community.importing(
            .photos,
            text(
                "photo_id,user_id,visibility",
                photos.map { [$0.id, $0.owner ?? "", $0.isPublic ? "public" : "private"] }))
        try community.importing(.memberships, text("group_id,user_id", sorted(memberships)))
        try community.importing(.pools, text("group_id,photo_id", sorted(pools)))
        try community.importing(.favourites, text("user_id,photo_id", sorted(favourites)))
        try community.importing(.follows, text("user_id,followed_id", sorted(follows)))
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        for group in groups where group.isHidden {
            try catalog.take([.site(SiteChange(ofGroup: group.id, .hide, atMilliseconds: 1))])
        }
    }

    func isShown(_ group: String) -> Bool { groups.contains { $0.id == group && $0.isPublic && !$0.isHidden } }
    func shownGroups(of user: String) -> Set<String> {
        Set(memberships.filter { $0[1] == user && isShown($0[0]) }.map { $0[0] })
    }
    func shownGroups(ofPhoto photo: String) -> Set<String> {
        Set(pools.filter { $0[1] == photo && isShown($0[0]) }.map { $0[0] })
    }
    func isPublic(_ photo: String) -> Bool { photos.contains { $0.id == photo && $0.isPublic } }
    func told(_ kind: ToldKind, _ user: String) -> Set<String> {
        Set((kind == .favourites ? favourites : follows).filter { $0[0] == user }.map { $0[1] })
    }

    /// The similarity of each other member who counts.
    func similarities(_ kind: ToldKind, _ user: String) -> [String: Double] {
        var total: [String: Double] = [:]
        for shared in SharedKind.allCases where kind.weight(of: shared) > 0 {
            var found: [String: Double] = [:]
            for other in users where other != user && (listed[other] ?? nil) != false {
                let (mine, theirs, members): (Set<String>, Set<String>, (String) -> Int)
                switch shared {
                case .memberships:
                    (mine, theirs) = (shownGroups(of: user), shownGroups(of: other))
                    members = { group in memberships.count { $0[0] == group } }
                case .favourites:
                    (mine, theirs) = (told(.favourites, user).filter(isPublic), told(.favourites, other))
                    members = { photo in favourites.count { $0[1] == photo } }
                case .follows:
                    (mine, theirs) = (told(.follows, user).subtracting([user]), told(.follows, other))
                    members = { followed in follows.count { $0[1] == followed } }
                }
                let sum = mine.intersection(theirs).reduce(0) { $0 + pow(Double(members($1)), -0.7) }
                if sum > 0 { found[other] = sum * pow(Double(theirs.count), -0.6) }
            }
            let greatest = found.values.max() ?? 1
            for (other, value) in found { total[other, default: 0] += kind.weight(of: shared) * value / greatest }
        }
        return total
    }

    /// The scores of what members of like taste told of, by the thing.
    func scores(_ kind: ToldKind, _ user: String, _ similarities: [String: Double]) -> [String: Double] {
        let own = kind == .favourites ? told(kind, user).filter(isPublic) : told(kind, user).union([user])
        var found: [String: Double] = [:]
        for (other, similarity) in similarities {
            for thing in told(kind, other).subtracting(own) { found[thing, default: 0] += similarity }
        }
        for thing in found.keys {
            let members = (kind == .favourites ? favourites : follows).count { $0[1] == thing }
            found[thing, default: 0] *= pow(Double(members), -0.15)
        }
        let greatest = found.values.max() ?? 1
        return found.mapValues { $0 / greatest }
    }

    func photos(for user: String, _ fits: [String: Double]) -> [String: Double] {
        let scores = scores(.favourites, user, similarities(.favourites, user))
        var found: [String: (told: Double, direct: Double)] = [:]
        for photo in photos where photo.isPublic && photo.owner != user && !favourites.contains([user, photo.id]) {
            let direct = shownGroups(ofPhoto: photo.id).reduce(0.0) { sum, group in
                let size = pools.count { $0[0] == group && isPublic($0[1]) }
                return sum + (fits[group] ?? 0) / Double(size).squareRoot()
            }
            let told = scores[photo.id] ?? 0
            if !shownGroups(ofPhoto: photo.id).isEmpty, told + direct > 0 { found[photo.id] = (told, direct) }
        }
        let greatest = found.values.map(\.direct).max() ?? 1
        return found.mapValues { $0.told + (greatest > 0 ? 0.15 * $0.direct / greatest : 0) }
    }

    func contacts(for user: String) -> [String: Double] {
        var similarities = similarities(.follows, user)
        let scores = scores(.follows, user, similarities)
        let greatest = similarities.values.max() ?? 1
        similarities = similarities.mapValues { $0 / greatest }
        var found: [String: Double] = [:]
        for other in users where other != user && listed[other] == .some(true) && !follows.contains([user, other]) {
            guard !shownGroups(of: user).isDisjoint(with: shownGroups(of: other)) else { continue }
            found[other] = (scores[other] ?? 0) + ToldKind.follows.directWeight * (similarities[other] ?? 0)
        }
        return found
    }
}

@Suite("Photos and contacts of members of like taste")
struct TasteTests {
    private func planner(_ community: SmallCommunity) throws -> Planner {
        let manifest = try community.recompute().manifest
        let model = try community.store.load(manifest.version).model
        return Planner(
            model: model, configuration: PlanConfiguration().weighted(by: manifest), key: RotationKey(1, 1))
    }

    private func request(_ user: String, _ fits: [String: Double], joined: [String], _ planner: Planner)
        -> TasteRequest
    {
        func index(_ id: String) -> UInt32? { planner.model.index(ofID: id).map(UInt32.init) }
        return TasteRequest(
            userID: user, joined: joined.compactMap(index).sorted(),
            fitting: fits.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.compactMap { id, fit in
                index(id).map { .init(group: $0, fit: fit) }
            })
    }

    private func expect(_ found: [(id: String, score: Double)], _ wanted: [String: Double], _ user: String) {
        #expect(Set(found.map(\.id)) == Set(wanted.keys), "\(user)")
        for (id, score) in found { #expect(abs(score - (wanted[id] ?? -1)) < 1e-9, "\(user) \(id)") }
        for (one, next) in zip(found, found.dropFirst()) { #expect(one.score >= next.score) }
    }

    @Test("Scores and members are those of a plain count, for every member", arguments: 1...4 as ClosedRange<UInt64>)
    func bruteForce(seed: UInt64) throws {
        let (truth, community) = (TasteCommunity(seed: seed), try SmallCommunity())
        try truth.load(into: community)
        let planner = try planner(community)
        let catalog = try Facts(path: community.catalogPath)
        var found = 0
        for user in truth.users {
            let joined = truth.shownGroups(of: user).sorted()
            var fits = Dictionary(uniqueKeysWithValues: joined.map { ($0, 1.0) })
            for group in truth.groups.prefix(4) where truth.isShown(group.id) && fits[group.id] == nil {
                fits[group.id] = 0.25
            }
            let request = request(user, fits, joined: joined, planner)
            let photos = try catalog.photos(for: request, planner: planner)
            expect(photos.map { ($0.id, $0.score) }, truth.photos(for: user, fits), user)
            for photo in photos {
                #expect(Set(photo.groups.map { planner.model.id(of: Int($0)) }) == truth.shownGroups(ofPhoto: photo.id))
                #expect(!photo.namesOwner || photo.ownerID.map { truth.listed[$0] != .some(false) } == true)
            }
            let contacts = try catalog.contacts(for: request, planner: planner)
            expect(contacts.map { ($0.id, $0.score) }, truth.contacts(for: user), user)
            for contact in contacts {
                #expect(
                    Set(contact.sharedGroups.map { planner.model.id(of: Int($0)) })
                        == truth.shownGroups(of: user).intersection(truth.shownGroups(of: contact.id)))
            }
            found += photos.count + contacts.count
            #expect(try catalog.photos(for: request, planner: planner) == photos)
        }
        #expect(found > 1000)
    }

    @Test("What a journal knows is taken away: photos, owners, entries, members, favourites and follows")
    func removed() throws {
        let (truth, community) = (TasteCommunity(seed: 9), try SmallCommunity())
        try truth.load(into: community)
        let planner = try planner(community)
        let catalog = try Facts(path: community.catalogPath)
        let user = truth.users[0]
        let joined = truth.shownGroups(of: user).sorted()
        var request = request(user, Dictionary(uniqueKeysWithValues: joined.map { ($0, 1) }), joined: joined, planner)
        let photos = try catalog.photos(for: request, planner: planner)
        let owned = try #require(photos.first { $0.ownerID != nil }?.ownerID)
        let single = try #require(photos.last { $0.groups.count == 1 && $0.ownerID != owned })
        let favourite = try #require(photos.first { $0.ownerID != owned && $0.id != single.id })
        let gone = try #require(photos.last { ![single.id, favourite.id].contains($0.id) && $0.ownerID != owned })
        let own = try #require(truth.told(.favourites, user).filter(truth.isPublic).sorted().first)
        request.removed.photos = [BytewiseString(gone.id)]
        request.removed.owners = [BytewiseString(owned)]
        request.removed.pooled = [
            RemovedThings.entry(group: planner.model.id(of: Int(single.groups[0])), photo: single.id)
        ]
        request.told = [
            ToldChange(.favourites, subjectID: favourite.id, adds: true),
            ToldChange(.favourites, subjectID: own, adds: false),
        ]
        let after = try catalog.photos(for: request, planner: planner)
        for id in [gone.id, single.id, favourite.id] { #expect(!after.contains { $0.id == id }, "\(id)") }
        #expect(!after.isEmpty && !after.contains { $0.ownerID == owned })
        // A photo that the member no longer likes may come again.
        let isOwn = truth.photos.contains { $0.id == own && $0.owner == user }
        if !isOwn, !truth.shownGroups(ofPhoto: own).isEmpty { #expect(after.contains { $0.id == own }) }
        let contacts = try catalog.contacts(for: request, planner: planner)
        let (first, second) = (contacts[0].id, contacts[1].id)
        request.removed.members = [BytewiseString(first)]
        request.told.append(ToldChange(.follows, subjectID: second, adds: true))
        let others = try catalog.contacts(for: request, planner: planner)
        #expect(!others.isEmpty && !others.contains { [first, second].contains($0.id) })
    }

    @Test("A member whom nobody knows gets nothing of the taste of others, and no error")
    func unknown() throws {
        let (truth, community) = (TasteCommunity(seed: 3), try SmallCommunity())
        try truth.load(into: community)
        let planner = try planner(community)
        let catalog = try Facts(path: community.catalogPath)
        let request = TasteRequest(userID: "nobody", joined: [], fitting: [])
        #expect(try catalog.photos(for: request, planner: planner).isEmpty)
        #expect(try catalog.contacts(for: request, planner: planner).isEmpty)
    }
}
