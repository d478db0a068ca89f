import Basics
import CatalogStore
import Changes
import Foundation
import Model
import ModelStore
import Recompute
import TestSupport
import Testing

@Suite("The descent of a catalog")
struct DescentTests {
    /// Applies joins to the catalog of a community, as those of a daemon's journal.
    private func join(_ community: SmallCommunity, _ users: [String]) throws {
        let catalog = try Catalog(path: community.catalogPath, mode: .recording)
        let group = try #require(catalog.facts.groups().first { $0.isShown }).id
        try catalog.take(
            users.map { user in
                let join = InteractionRecord(id: "1", .join, groupID: group, atMilliseconds: 1_794_000_000_000)
                return .member(MemberChange(ofUser: user, .record([join])))
            })
    }

    @Test("A catalog that lacks what the newest version took is refused, with the number, and --force publishes it")
    func lostChanges() throws {
        let community = try SmallCommunity.random(seed: 5)
        try join(community, ["ann"])
        try community.recompute()
        let copy = community.directory.path + "/copy.sqlite"
        _ = try Catalog.copy(community.catalogPath, to: copy)
        try join(community, ["bob", "cy"])
        let current = try community.recompute().manifest.version
        // The site goes on with a copy from between.
        try FileManager.default.removeItem(atPath: community.catalogPath)
        try FileManager.default.moveItem(atPath: copy, toPath: community.catalogPath)
        let error = #expect(throws: Failure.self) { try community.recompute() }
        #expect(
            error?.code == .badData && error?.message.contains("lacks 2 changes") == true,
            "\(String(describing: error))")
        #expect(try community.store.current() == current && community.store.versions().count == 2)
        #expect(try community.recompute { $0.isDryRun = true }.isPublished == false)
        try #require(try community.recompute { $0.isForced = true }.isPublished)
        // The newest version took no more than the catalog has.
        try #require(try community.recompute().isPublished)
    }

    @Test("A catalog without changes may follow another one")
    func rebuilt() throws {
        let community = try SmallCommunity.random(seed: 6)
        try community.recompute()
        try FileManager.default.removeItem(atPath: community.catalogPath)
        try community.importing(.memberships, "group_id,user_id\ng,a\ng,b\nh,a\nh,b\n")
        try community.importing(.groups, "group_id\ng\nh\n")
        #expect(throws: Never.self) { try community.recompute { $0.isForced = true } }
    }
}
