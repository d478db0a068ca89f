import Dispatch
import Model
import Similarity
import Testing

@testable import CatalogStore

@Suite("Tuning, in the catalog")
struct TuningNoteTests {
    @Test("A note is kept, replaced and removed, and is no change of the content")
    func notes() throws {
        let catalog = try CatalogUnderTest().catalog
        let before = try catalog.facts.changeCount()
        #expect(try catalog.facts.tuningNote(.settings) == nil)
        try catalog.keepTuningNote(.settings, "one")
        try catalog.keepTuningNote(.journal, "two")
        try catalog.keepTuningNote(.settings, "three")
        #expect(try catalog.facts.tuningNote(.settings) == "three" && catalog.facts.tuningNote(.journal) == "two")
        try catalog.keepTuningNote(.settings, nil)
        #expect(try catalog.facts.tuningNote(.settings) == nil && catalog.facts.changeCount() == before)
    }

    @Test("No change of a note is lost if several are made at once")
    func changes() throws {
        let test = try CatalogUnderTest()
        let path = test.path
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<10 {
                #expect(throws: Never.self) {
                    try Catalog(path: path, mode: .recording).changeTuningNote(.reports) { ($0 ?? "") + "+" }
                }
            }
        }
        #expect(try test.catalog.facts.tuningNote(.reports)?.count == 40)
    }

    @Test("Folds of a share leave out different groups of a user, and never private ones")
    func folds() throws {
        let community = try CatalogUnderTest()
        let rows = (0..<10).map { "g\($0),u\n" }.joined() + "g3,v\n"
        try community.importing(.memberships, "group_id,user_id\n" + rows)
        let groups = (0..<10).map { "g\($0),\($0 == 4 ? "private" : "public")\n" }.joined()
        try community.importing(.groups, "group_id,visibility\n" + groups)
        let snapshot = try Matrices(of: community.catalog.facts, threads: 1)
        let matrix = try snapshot.matrix(.memberships) { _ in }.matrix
        let degrees = matrix.columnDegrees()
        let users = degrees.indices.filter { degrees[$0] > 0 }.map(UInt32.init)
        let folds = try snapshot.heldOut(ofUsers: users, by: .share(0.34), folds: 3)
        #expect(folds.count == 3 && folds.allSatisfy { $0.count == 2 })
        let many = try #require(users.firstIndex { degrees[Int($0)] == 9 })
        // Each fold holds out three others of the nine shown groups.
        #expect(folds.allSatisfy { $0[many].count == 3 && $0[1 - many].isEmpty })
        #expect(Set(folds.flatMap { $0[many] }) == Set(0..<9))
        #expect(try !snapshot.mayHaveTimes(.memberships))
    }

    @Test("A share leaves every group out about equally often, whatever its key")
    func evenly() throws {
        let community = try CatalogUnderTest()
        let rows = (0..<500).map { user in (0..<20).map { "g\($0),u\(user)\n" }.joined() }.joined()
        try community.importing(.memberships, "group_id,user_id\n" + rows)
        let snapshot = try Matrices(of: community.catalog.facts, threads: 1)
        let degrees = try snapshot.matrix(.memberships) { _ in }.matrix.columnDegrees()
        let users = degrees.indices.filter { degrees[$0] > 0 }.map(UInt32.init)
        var counts = [Int](repeating: 0, count: 20)
        for fold in try snapshot.heldOut(ofUsers: users, by: .share(0.2), folds: 1) {
            for group in fold.flatMap(\.self) { counts[Int(group)] += 1 }
        }
        #expect(counts.reduce(0, +) == 2000 && counts.allSatisfy { (60...140).contains($0) })
    }
}
