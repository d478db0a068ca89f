import Basics
import Changes
import Model
import TestSupport
import Testing

@testable import CatalogStore

@Suite("Exposures of experiments")
struct ExposureTests {
    private static let day: Int64 = 86_400_000

    private static func exposure(_ list: String = "r", day: Int64 = 500, times: Int = 1) -> ExposureRecord {
        var record = ExposureRecord(
            experiment: "e", arm: "a", recommendationID: list, firstPosition: 1, shownCount: 5, filters: "",
            atMilliseconds: day * Self.day + 7)
        record.times = times
        return record
    }

    private static func change(_ records: ExposureRecord..., of user: String = "ann") -> Change {
        .member(MemberChange(ofUser: user, .expose(records)))
    }

    @Test("Equal pages of a day add up, and those of long ago go")
    func addingUp() throws {
        let test = try CatalogUnderTest()
        let catalog = try Catalog(path: test.path, mode: .recording)
        let before = try catalog.facts.changeCount()
        try catalog.take([Self.change(Self.exposure(times: 2)), Self.change(Self.exposure(), of: "bob")])
        try catalog.take([Self.change(Self.exposure(), Self.exposure("s"), Self.exposure(day: 501))])
        let counts = "SELECT day || ' ' || recommendation_id || ' ' || times FROM exposures ORDER BY exposure_key"
        #expect(try test.lines(counts) == ["500 r 3", "500 r 1", "500 s 1", "501 r 1"])
        // A recompute sees two new members, and no other change.
        #expect(try catalog.facts.changeCount() == before + 2)
        try catalog.take([Self.change(Self.exposure(day: 501 + ExposureWriter.daysKept))])
        #expect(try test.lines(counts) == ["501 r 1", "901 r 1"])
    }

    @Test("What arrives later can be left out and counted, also after two ids have become one")
    func arrival() throws {
        let test = try CatalogUnderTest()
        let catalog = try Catalog(path: test.path, mode: .recording)
        try catalog.take([Self.change(Self.exposure()), Self.change(Self.exposure("s"), of: "bob")])
        let exposures = Exposures(of: catalog.facts)
        let early = try exposures.arrival
        try catalog.take([Self.change(Self.exposure(day: 499)), Self.change(Self.exposure("t"), of: "cid")])
        func lists(_ arrival: CatalogArrival) throws -> [String] {
            var lists: [String] = []
            try exposures.forEachMember(
                exposedIn: "e", before: .max, interactionsFrom: 0, until: 1, arrival: arrival
            ) { member throws(Failure) in lists += member.exposures.map(\.recommendationID) }
            return lists.sorted()
        }
        #expect(try lists(early) == ["r", "s"] && lists(.all) == ["r", "r", "s", "t"])
        let end = 501 * Self.day
        let late = try exposures.lateCounts(in: "e", since: 0, after: early, before: end)
        #expect(late.pages == 2 && late.actions == 0 && late.repeatedPages == 0)
        #expect(try exposures.firstExposures(in: "e", arrival: early) == [500 * Self.day + 7, 500 * Self.day + 7])
        _ = try catalog.rename(.users, from: "bob", to: "cid")
        #expect(try lists(early).count == 2)
    }

    @Test("What arrives after the last rows were forgotten is later than they")
    func arrivalAfterForgetting() throws {
        let test = try CatalogUnderTest()
        try test.importing(.groups, "group_id\ng\n")
        let catalog = try Catalog(path: test.path, mode: .recording)
        func join(_ user: String) -> Change {
            let record = InteractionRecord(id: "i", .join, groupID: "g", atMilliseconds: 1)
            return .member(MemberChange(ofUser: user, .record([record])))
        }
        try catalog.take([Self.change(Self.exposure()), Self.change(Self.exposure("s"), of: "bob"), join("bob")])
        let early = try Exposures(of: catalog.facts).arrival
        _ = try catalog.removal.forget(["bob"], withPhotos: false, atMilliseconds: 2)
        try catalog.take([Self.change(Self.exposure("t", day: 499), of: "cid"), join("cid")])
        let late = try Exposures(of: catalog.facts).lateCounts(
            in: "e", since: 0, after: early, before: 501 * Self.day)
        #expect(late.pages == 1 && late.actions == 1)
    }

    @Test("The time of answers adds up where it is known of all")
    func answerTimes() throws {
        let test = try CatalogUnderTest()
        let catalog = try Catalog(path: test.path, mode: .recording)
        func timed(_ list: String, _ microseconds: Int64?) -> ExposureRecord {
            var record = Self.exposure(list)
            record.microseconds = microseconds
            return record
        }
        try catalog.take([Self.change(timed("r", 30), timed("s", 5), timed("t", nil))])
        try catalog.take([Self.change(timed("r", 12), timed("s", nil), timed("t", 7))])
        let rows = "SELECT recommendation_id || ' ' || ifnull(microseconds, '?') FROM exposures ORDER BY exposure_key"
        #expect(try test.lines(rows) == ["r 42", "s ?", "t ?"])
        var sum = timed("r", 30)
        sum.add(timed("r", 12))
        #expect(sum.microseconds == 42 && sum.times == 2)
        sum.add(timed("r", nil))
        #expect(sum.microseconds == nil && sum.times == 3)
        // An older program encodes it like this.
        let change = Self.change(timed("r", nil))
        #expect(!String(decoding: change.encoded, as: UTF8.self).contains("microseconds"))
    }

    @Test("Equal pages that had other groups know all of them, and whose pick each was")
    func marks() throws {
        let test = try CatalogUnderTest()
        let catalog = try Catalog(path: test.path, mode: .recording)
        func page(_ groups: [String]?, _ teams: String? = nil) -> ExposureRecord {
            var record = Self.exposure()
            record.shown = groups.map { $0.map { GroupMarks.mark(of: $0) }.joined() }
            record.teams = teams
            return record
        }
        let pages = [page(["a", "b"], "12"), page(["a", "b"], "12"), page(["b", "c"], "21")]
        for page in pages { try catalog.take([Self.change(page)]) }
        var sum = pages[0]
        for page in pages.dropFirst() { sum.add(page) }
        var read: [ExposureRecord] = []
        try Exposures(of: catalog.facts).forEachMember(
            exposedIn: "e", before: .max, interactionsFrom: 0, until: 1
        ) { member throws(Failure) in read += member.exposures }
        for record in [sum] + read {
            #expect(record.times == 3 && record.teams == "12 21")
            #expect(["a", "b", "c"].allSatisfy(record.showed) && !record.showed("d"))
            #expect(record.team(of: "a") == "1" && record.team(of: "b") == "2" && record.team(of: "c") == "1")
        }
        // An older program did not say what was shown, so nothing can be ruled out.
        #expect(page(nil).showed("d") && page(nil).team(of: "d") == nil)
    }

    @Test("A member's exposures are no part of what lists are made from, and go with the member")
    func journals() throws {
        let directory = try TemporaryDirectory()
        let journal = try ChangeJournal(path: directory.path + "/journal", mode: .recording)
        _ = try journal.record([Self.change(Self.exposure())], at: 5)
        #expect(try journal.recentChanges(ofUser: "ann") == nil)
        func sent() throws -> [Change?] {
            try journal.changes(of: journal.origin, after: 0, limit: .max).map(\.change)
        }
        #expect(try sent() == [Self.change(Self.exposure())])
        _ = try journal.record([.member(MemberChange(ofUser: "ann", .forget(id: nil)))], at: 6)
        _ = try journal.record([Self.change(Self.exposure("later"))], at: 7)
        #expect(try sent().first == .some(nil))
        #expect(try sent().last == Self.change(Self.exposure("later")))
        // An earlier exposure by another daemon that arrives late is forgotten too.
        let late = JournaledChange(
            origin: "other", sequence: 1, stampMilliseconds: 1, change: Self.change(Self.exposure("telling")))
        _ = try journal.follow([late], beyond: .none, at: 8)
        #expect(
            try journal.changes(of: "other", after: 0, limit: .max).map(\.change)
                == [nil])
        let removal = RemovalChange(.member("ann", withPhotos: false), atMilliseconds: 9)
        _ = try journal.record([.removal(removal)], at: 9)
        #expect(try sent()[2] == nil)
    }

    @Test("The members of an experiment come with what they did in the time that is asked for")
    func exposedMembers() throws {
        let test = try CatalogUnderTest()
        try test.importing(
            .memberships, "group_id,user_id,joined_at\ng,ann,1970-01-02\nh,ann,\ni,ann,99999999999\ng,bob,1970-01-04\n")
        let catalog = try Catalog(path: test.path, mode: .recording)
        func interaction(_ id: String, at milliseconds: Int64) -> InteractionRecord {
            InteractionRecord(id: id, .click, groupID: "g", atMilliseconds: milliseconds, recommendationID: "r")
        }
        let interactions = (499...502).map { interaction("\($0)", at: $0 * Self.day) }
        try catalog.take([
            .member(MemberChange(ofUser: "ann", .record(interactions))),
            Self.change(Self.exposure("s", day: 501), Self.exposure(), Self.exposure("late", day: 502)),
            Self.change(Self.exposure(), of: "bob"),
        ])
        var members: [ExposedMember] = []
        try Exposures(of: catalog.facts).forEachMember(
            exposedIn: "e", before: 502 * Self.day, interactionsFrom: 500 * Self.day, until: 502 * Self.day
        ) { member throws(Failure) in members.append(member) }
        #expect(members.map(\.groupCount) == [3, 1])
        #expect(members.first?.exposures == [Self.exposure(), Self.exposure("s", day: 501)])
        #expect(members.first?.interactions.map(\.id) == ["499", "500", "501"])
        #expect(members.last?.interactions == [])
        #expect(
            try Exposures(of: catalog.facts).countsOfListInteractions(
                .click, since: 500 * Self.day, before: 502 * Self.day) == [1])
    }
}
