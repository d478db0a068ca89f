import CatalogStore
import Foundation
import Model
import ModelStore
import Recommendation
import Recompute
import Redis
import TestSupport
import Testing

@Suite("What members tell, in a recompute")
struct MemberHintsTests {
    /// A community in which members like photos of the pools of their groups, and follow one another.
    private func community(seed: UInt64, likesByGroup: Bool = true) throws -> SmallCommunity {
        var generator = SeededGenerator(seed: seed)
        func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        func isIn(_ user: Int, _ group: Int) -> Bool { user % 6 == group % 6 && (user / 6 + group / 6) % 3 > 0 }
        var joined = [[Int]](repeating: [], count: 300)
        let community = try SmallCommunity()
        let users = Array(0..<300)
        let groups = (0..<30).map { "\($0 % 10 == 9 ? "secret" : "group")-\($0)" }
        try community.importing(
            .groups,
            "group_id,visibility\n" + groups.map { "\($0),\($0.hasPrefix("s") ? "private" : "public")\n" }.joined())
        try community.importing(
            .photos,
            "photo_id,user_id,visibility\n"
                + (0..<600).map { "p\($0),u\($0 * $0 % 100),\($0 % 7 == 0 ? "private" : "public")\n" }.joined())
        for group in groups.indices {
            for user in users where isIn(user, group) || pick(0..<20) == 0 { joined[user].append(group) }
        }
        let memberships = users.flatMap { user in joined[user].map { "\(groups[$0]),u\(user)\n" } }
        try community.importing(.memberships, "group_id,user_id\n" + memberships.joined())
        try community.importing(
            .pools,
            "group_id,photo_id\n"
                + (0..<600).map { "\(groups[$0 % 30]),p\($0)\n\(groups[($0 + 6) % 30]),p\($0)\n" }.joined())
        let likes = users.flatMap { user in
            (0..<8).map { _ in
                let group = likesByGroup ? joined[user].randomElement(using: &generator) ?? 0 : pick(0..<30)
                return "u\(user),p\(group + 30 * pick(0..<20))\n"
            }
        }
        try community.importing(.favourites, "user_id,photo_id\nlurker,p1\nlurker,p31\n" + likes.joined())
        let follows = users.flatMap { user in (0..<5).map { _ in "u\(user),u\(pick(0..<50) * 6 + user % 6)\n" } }
        try community.importing(.follows, "user_id,followed_id\n" + follows.joined())
        try community.importing(.users, "user_id,listed\nu6,no\nu12,no\nu18,yes\n")
        return community
    }

    @Test("Favourites that follow the groups get a weight, those by chance none")
    func weights() throws {
        func weight(_ manifest: Manifest) -> Double? {
            manifest.memberEvidence?.first { $0.kind == .favourites }?.weight
        }
        #expect(try weight(community(seed: 1).recompute().manifest) ?? 0 > 0)
        #expect(try weight(community(seed: 1, likesByGroup: false).recompute().manifest) == 0)
    }

    @Test("Without anything told, the manifest has no word of it")
    func nothing() throws {
        let community = try SmallCommunity.random(seed: 3)
        let observer = RecordingObserver()
        #expect(try community.recompute(observer: observer).manifest.memberEvidence == nil)
        #expect(!observer.began.contains("favourites and follows"))
    }

    @Test("Of many favourites and follows, those that came last count, in the catalog as in a version")
    func bound() throws {
        guard TemporaryRedis.isInstalled else { return }
        let server = try TemporaryRedis()
        let community = try SmallCommunity()
        let count = HintFormula.entryLimit + 60
        let numbers = 1...count
        try community.importing(.groups, "group_id\nearly\nlate\n")
        // Every third photo is private, and does not take the place of others.
        try community.importing(
            .photos, "photo_id,visibility\n" + numbers.map { "p\($0),\($0 % 3 == 0 ? "private" : "public")\n" }.joined()
        )
        try community.importing(.users, "user_id\nfan\n" + numbers.map { "u\($0)\n" }.joined())
        func group(_ number: Int) -> String { number <= 70 ? "early" : "late" }
        // Members whom nobody follows make the groups neighbours.
        let both = (1...30).map { "early,both\($0)\nlate,both\($0)\n" }.joined()
        try community.importing(.pools, "group_id,photo_id\n" + numbers.map { "\(group($0)),p\($0)\n" }.joined())
        try community.importing(
            .memberships, "group_id,user_id\n" + numbers.map { "\(group($0)),u\($0)\n" }.joined() + both)
        try community.importing(.favourites, "user_id,photo_id\n" + numbers.map { "fan,p\($0)\n" }.joined())
        try community.importing(.follows, "user_id,followed_id\n" + numbers.map { "fan,u\($0)\n" }.joined())
        let store = RedisStore(try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
        let manifest = try community.recompute(into: store).manifest
        let loaded = try store.load(manifest.version)
        let planner = Planner(
            model: loaded.model, configuration: PlanConfiguration().weighted(by: manifest), key: RotationKey(1, 1))
        let catalog = try Facts(path: community.catalogPath)
        let hints = try catalog.hints(ofUser: "fan", for: planner)
        let counts = hints.map { "\($0.kind) \(loaded.model.id(of: Int($0.group))) \($0.count)" }
        let publicCount = numbers.count { $0 % 3 > 0 }
        #expect(publicCount < HintFormula.entryLimit)
        #expect(
            counts == [
                "favourites early \((1...70).count { $0 % 3 > 0 })",
                "favourites late \((71...count).count { $0 % 3 > 0 })", "follows early 10", "follows late 990",
            ])
        let published = try #require(store.shared).member(withID: "fan", in: manifest.version)
        #expect(published?.feedback.hints == hints)
        // What was told since takes the place of what came first.
        let told = [ToldChange(.follows, subjectID: "u\(count)", adds: false)]
        #expect(try catalog.hints(ofUser: "fan", for: planner, after: told).last?.count == 989)
        withExtendedLifetime(server) {}
    }

    @Test("The published hints are those that a catalog finds, and no private or unlisted thing is in them")
    func sameHints() throws {
        guard TemporaryRedis.isInstalled else { return }
        let server = try TemporaryRedis()
        let community = try community(seed: 2)
        let store = RedisStore(
            try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
        let manifest = try community.recompute(into: store).manifest
        let loaded = try store.load(manifest.version)
        let weighted = PlanConfiguration().weighted(by: manifest)
        var configuration = weighted
        configuration.evidence = EvidenceKind.allCases.map { .init($0, weight: 1, unit: 1) }
        let planner = Planner(model: loaded.model, configuration: configuration, key: RotationKey(1, 1))
        let catalog = try Facts(path: community.catalogPath)
        let members = try #require(store.shared)
        var found = 0
        for user in (0..<300).map({ "u\($0)" }) + ["lurker"] {
            let profile = try #require(
                try MemberProfile(ofUser: user, from: catalog, for: planner, atMilliseconds: 0))
            let published = try #require(try members.member(withID: user, in: manifest.version))
            // Own photos have no weight here, and are not published.
            #expect(published.feedback.hints == profile.hints.filter { $0.kind != .photos }, "\(user)")
            found += profile.hints.count
        }
        #expect(found > 300)
        let owner = try #require(try MemberProfile(ofUser: "u1", from: catalog, for: planner, atMilliseconds: 0))
        #expect(owner.hints.contains { $0.kind == .photos })
        let lurker = try #require(try MemberProfile(ofUser: "lurker", from: catalog, for: planner, atMilliseconds: 0))
        #expect(lurker.hints.map { loaded.model.id(of: Int($0.group)) }.sorted() == ["group-1", "group-7"])
        // Half of the followed members of some follower are not listed, and count for nobody.
        let follower = try #require(try MemberProfile(ofUser: "u0", from: catalog, for: planner, atMilliseconds: 0))
        #expect(follower.hints.filter { $0.kind == .follows }.allSatisfy { $0.count >= 3 })
        withExtendedLifetime(server) {}
    }

    @Test("Groups are similar if the same members like their public photos, as counted by hand")
    func admirers() throws {
        let relation = RelationDescription.favourites.relation
        var generator = SeededGenerator(seed: 4)
        let community = try SmallCommunity()
        let groups = (0..<6).map { $0 == 5 ? "secret" : "g\($0)" }
        try community.importing(
            .groups,
            "group_id,visibility\n" + groups.map { "\($0),\($0 == "secret" ? "private" : "public")\n" }.joined())
        try community.importing(
            .photos,
            "photo_id,visibility\n" + (0..<60).map { "p\($0),\($0 % 5 == 0 ? "private" : "public")\n" }.joined())
        let pools = (0..<60).flatMap { photo in
            groups.indices.filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }.map { ($0, photo) }
        }
        try community.importing(
            .pools, "group_id,photo_id\n" + pools.map { "\(groups[$0]),p\($1)\n" }.joined())
        let likes = (0..<40).flatMap { user in
            (0..<3).map { _ in (user, Int.random(in: 0..<60, using: &generator)) }
        }
        try community.importing(
            .favourites, "user_id,photo_id\n" + likes.map { "u\($0),p\($1)\n" }.joined())
        let model = try community.store.load(community.recompute().manifest.version).model
        let admirers = groups.indices.map { group in
            let pool = Set(pools.filter { $0.0 == group && $0.1 % 5 != 0 }.map(\.1))
            return Set(likes.filter { pool.contains($0.1) }.map(\.0))
        }
        for (group, id) in groups.enumerated() where id != "secret" {
            let index = try #require(model.index(ofID: id))
            #expect(Int(model.size(of: index, in: relation)) == admirers[group].count)
            for neighbour in model.neighbours(of: index, by: relation) {
                let other = try #require(groups.firstIndex(of: model.id(of: Int(neighbour.index))))
                #expect(Int(neighbour.common) == admirers[group].intersection(admirers[other]).count)
            }
            #expect(model.neighbours(of: index, by: relation).count == 4)
        }
        #expect(model.index(ofID: "secret") == nil && model.evidenceWeight(of: relation) == 0)
    }

    /// Members who join groups of two themes, and post in some of those of one theme.
    ///
    /// - Parameter isHome: whether they join more groups of the theme to which they post.
    private func postingCommunity(isHome: Bool) throws -> SmallCommunity {
        var generator = SeededGenerator(seed: 9)
        let community = try SmallCommunity()
        func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }
        try community.importing(
            .groups, "group_id,visibility\n" + (0..<60).map { "g\($0),public\n" }.joined())
        var (memberships, photos, pools) = ("", "", "")
        for user in 0..<400 {
            let (home, other) = (user % 6, (user / 6) % 6)
            var joined = Set((0..<3).map { _ in home * 10 + pick(0..<10) })
            let active = joined.sorted()
            for _ in 0..<4 { joined.insert(other * 10 + pick(0..<10)) }
            for _ in 0..<3 { joined.insert(home * 10 + pick(0..<10)) }
            memberships += joined.sorted().map { "g\($0),u\(user)\n" }.joined()
            for group in isHome ? active : joined.sorted().filter({ $0 / 10 == other }) {
                for number in 0..<8 {
                    photos += "p\(user)-\(group)-\(number),u\(user),\(number == 0 ? "private" : "public")\n"
                    pools += "g\(group),p\(user)-\(group)-\(number)\n"
                }
            }
        }
        try community.importing(.memberships, "group_id,user_id\n" + memberships)
        try community.importing(.photos, "photo_id,user_id,visibility\n" + photos)
        try community.importing(.pools, "group_id,photo_id\n" + pools)
        return community
    }

    @Test("Own photos get a weight where members join groups like those that they post to, and are published then")
    func activity() throws {
        guard TemporaryRedis.isInstalled else { return }
        func weight(_ manifest: Manifest) -> Double? {
            manifest.memberEvidence?.first { $0.kind == .photos }?.weight
        }
        #expect(try weight(postingCommunity(isHome: false).recompute().manifest) == 0)
        let server = try TemporaryRedis()
        let community = try postingCommunity(isHome: true)
        let store = RedisStore(
            try RedisAddress(server.url), cacheDirectory: community.directory.path + "/cache")
        let manifest = try community.recompute(into: store).manifest
        #expect(weight(manifest) ?? 0 > 0)
        let loaded = try store.load(manifest.version)
        let planner = Planner(
            model: loaded.model, configuration: PlanConfiguration().weighted(by: manifest), key: RotationKey(1, 1))
        let catalog = try Facts(path: community.catalogPath)
        let members = try #require(store.shared)
        for user in 0..<400 {
            let profile = try #require(
                try MemberProfile(ofUser: "u\(user)", from: catalog, for: planner, atMilliseconds: 0))
            let published = try #require(try members.member(withID: "u\(user)", in: manifest.version))
            #expect(published.feedback.hints == profile.hints)
            // Seven of eight photos are public.
            #expect(!profile.hints.isEmpty && profile.hints.allSatisfy { $0.kind == .photos && $0.count == 7 })
        }
        withExtendedLifetime(server) {}
    }
}
