import Basics
import CatalogStore
@testable import Evaluation
import Foundation
import Model
import Similarity
import TestSupport
import Testing

@Suite("What settings are chosen on")
struct TuningCommunityTests {
    /// Returns a community in which the first members are in five of fifty groups and the others in two.
    private func community(ofFive: Int, ofTwo: Int, joined: String = "") throws -> TuningCommunity {
        let directory = try TemporaryDirectory()
        let catalog = try Catalog(path: directory.path + "/catalog.sqlite", mode: .writing)
        var text = joined.isEmpty ? "group_id,user_id\n" : "group_id,user_id,joined_at\n"
        for user in 0..<(ofFive + ofTwo) {
            for number in 0..<(user < ofFive ? 5 : 2) {
                let time = joined.isEmpty ? "" : ",\(joined)0\(number + 1)"
                text += "g\((user + number * 7) % 50),u\(user)\(time)\n"
            }
        }
        let file = directory.path + "/memberships.csv"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let options = ImportOptions(rejectsPath: directory.path + "/rejects.csv")
        _ = try Importer(into: catalog, kind: .memberships, options: options).run([file])
        return try TuningCommunity(catalog.facts, .standard, pairLimit: 1e12, threads: 1)
    }

    @Test("At most a third miss groups at a time; with a thousand of five groups, members of fewer are left aside")
    func members() throws {
        let large = try community(ofFive: 1001, ofTwo: 501)
        #expect(large.memberCounts == (501, 500))
        let small = try community(ofFive: 999, ofTwo: 300)
        #expect(small.memberCounts == (433, 433))
    }

    @Test("Members who judge are others, and miss other groups each time")
    func judges() throws {
        let community = try community(ofFive: 1000, ofTwo: 0)
        #expect(community.choosing.count == 5 && community.judgingFoldCount == 5)
        let whole = 5000
        var missed = [Set<UInt32>](repeating: [], count: 333)
        for number in 0..<5 {
            let fold = try community.judging(number)
            #expect(fold.members.allSatisfy { $0.joined.count == 4 && $0.heldOut.count == 1 })
            // Only those who judge miss something.
            #expect(fold.memberships.entryCount == whole - 333)
            for (member, groups) in fold.members.enumerated() { missed[member].formUnion(groups.heldOut) }
        }
        #expect(missed.allSatisfy { $0.count == 5 })
    }

    @Test("Where times are known, the group joined last is left out, once")
    func last() throws {
        let community = try community(ofFive: 1000, ofTwo: 0, joined: "2026-01-")
        #expect(community.choosing.count == 1 && community.judgingFoldCount == 1)
        let members = try community.judging(0).members
        #expect(members.allSatisfy { $0.heldOut.count == 1 && $0.joined.count == 4 })
    }

    @Test("With too few members it says so")
    func tooFew() {
        #expect(throws: Failure.self) { try community(ofFive: 0, ofTwo: 99) }
    }
}
