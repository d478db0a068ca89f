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

    /// Applies statements of a journal.
    private func take(_ statements: (stamp: Int64, interests: [String])..., origin: String = "o") throws {
        let changes = statements.enumerated().map { number, said in
            JournaledChange(
                origin: origin, sequence: Int64(number) + 1, stampMilliseconds: said.stamp,
                change: .member(MemberChange(ofUser: "ann", .state(interests: said.interests))))
        }
        #expect(try test.catalog.apply(journaled: changes).applied == statements.count)
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
        try take((1999, ["dogs"]), (3000, []), (2500, ["mice"]), origin: "p")
        #expect(try stated() == "~ 3000")
        #expect(try test.catalog.member(withID: "ann")?.hasStatedInterests == true)
        #expect(try test.catalog.member(withID: "bob")?.hasStatedInterests == false)
    }

    @Test("made here are the newest, even after a statement of a clock that is ahead")
    func own() throws {
        let future: Int64 = 9_000_000_000_000
        try take((future, ["owls"]))
        let own = Change.member(MemberChange(ofUser: "ann", .state(interests: ["cats"])))
        #expect(try test.catalog.apply([own]) == [.member(.stated)])
        #expect(try stated() == "cats \(future)")
        #expect(try test.catalog.apply([.member(MemberChange(ofUser: "bob", .state(interests: ["cats"])))]).count == 1)
        let stamp = try #require(Int64(stated("bob").dropFirst(5)))
        #expect(stamp > 1_700_000_000_000 && stamp < future)
        try take((stamp - 1, ["late"]), origin: "p")
        #expect(try stated() == "cats \(future)")
    }

    @Test("keep their stamp in an import of the same interests, and lose it to a file with others")
    func imported() throws {
        try take((2000, ["owls"]))
        try test.importing(.users, "user_id,name,interests\nann,Ann,owls\n")
        try test.importing(.users, "user_id,name\nann,Anna\n")
        #expect(try stated() == "owls 2000")
        try test.importing(.users, "user_id,interests\nann,cats\n")
        #expect(try stated() == "cats ~")
        try take((1500, ["mice"]), origin: "p")
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
