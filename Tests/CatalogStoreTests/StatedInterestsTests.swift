import Changes
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Stated interests")
struct StatedInterestsTests {
    private let test: CatalogUnderTest

    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.users, "user_id,interests\nann,birds\nbob,\n")
    }

    /// Applies statements with the given stamps.
    private func take(_ statements: (stamp: Int64, interests: [String])...) throws {
        for (stamp, interests) in statements {
            try test.catalog.take([.member(MemberChange(ofUser: "ann", .state(interests: interests)))], stamp: stamp)
        }
    }

    private func stated(_ user: String = "ann") throws -> String {
        try test.lines(
            """
            SELECT coalesce(interests, '~') || ' ' || coalesce(interests_stamp, '~') FROM users WHERE user_id = '\(user)'
            """
        ).first ?? ""
    }

    @Test("of an earlier time change nothing, whenever they arrive")
    func late() throws {
        #expect(try stated() == "birds ~")
        try take((2000, ["owls"]), (1000, ["cats"]))
        #expect(try stated() == "owls 2000")
        try take((1999, ["dogs"]), (3000, []), (2500, ["mice"]))
        #expect(try stated() == "~ 3000")
        #expect(try test.catalog.facts.member(withID: "ann")?.hasStatedInterests == true)
        #expect(try test.catalog.facts.member(withID: "bob")?.hasStatedInterests == false)
    }

    @Test("keep their stamp in an import of the same interests, and lose it to a file with others")
    func imported() throws {
        try take((2000, ["owls"]))
        try test.importing(.users, "user_id,name,interests\nann,Ann,owls\n")
        try test.importing(.users, "user_id,name\nann,Anna\n")
        #expect(try stated() == "owls 2000")
        try test.importing(.users, "user_id,interests\nann,cats\n")
        #expect(try stated() == "cats ~")
        try take((1500, ["mice"]))
        #expect(try stated() == "mice 1500")
    }

    @Test("move with their stamp when two ids of a member become one")
    func renamed() throws {
        try take((2000, ["owls"]))
        #expect(try test.catalog.rename(.users, from: "ann", to: "bob") == .merged)
        #expect(try stated("bob") == "owls 2000")
        try test.importing(.users, "user_id,interests\neve,cats\n")
        #expect(try test.catalog.rename(.users, from: "eve", to: "bob") == .merged)
        #expect(try stated("bob") == "owls 2000")
    }
}
