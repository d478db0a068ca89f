import CatalogStore
import Changes
import Evaluation
import Experiments
import Foundation
import Model
import TestSupport
import Testing

@Suite("What members of an experiment did")
struct ExperimentOutcomesTests {
    private static let day: Int64 = 86_400_000
    private static let start = 1000 * day

    private let directory: TemporaryDirectory
    private let catalog: Catalog
    private let entry: ExperimentRegister.Entry

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.path + "/catalog.sqlite"
        let file = directory.path + "/groups.csv"
        try Data("group_id,topics\na,snow;owls\nb,snow\nc,\n".utf8).write(to: URL(fileURLWithPath: file))
        _ = try Importer(
            into: Catalog(path: path, mode: .writing), kind: .groups,
            options: ImportOptions(rejectsPath: directory.path + "/rejects")
        ).run([file])
        catalog = try Catalog(path: path, mode: .recording)
        var register = ExperimentRegister()
        #expect(
            register.start(
                ExperimentDefinition(
                    "tried", arms: [.init("one"), .init("two")],
                    plan: ExperimentPlan(decides: .joins, memberCount: 1000, effect: 0.05)), atMilliseconds: Self.start)
                == nil)
        entry = try #require(register["tried"])
    }

    /// Returns the time of an event, given in days from the start of the experiment.
    private static func time(_ days: Double) -> Int64 { start + Int64(days * Double(day)) }

    private func show(
        _ list: String, to user: String, arm: String, at days: Double, count: Int = 9, microseconds: Int64? = nil
    ) throws {
        let record = ExposureRecord(
            experiment: "tried", arm: arm, recommendationID: list, firstPosition: 1, shownCount: count, filters: "",
            atMilliseconds: Self.time(days), microseconds: microseconds)
        try catalog.take([.member(MemberChange(ofUser: user, .expose([record])))])
    }

    private func act(
        _ kind: Interaction.Kind, _ group: String, _ list: String?, by user: String, at days: Double
    ) throws {
        let record = InteractionRecord(
            id: "\(kind) \(group) \(days)", kind, groupID: group, atMilliseconds: Self.time(days),
            recommendationID: list, position: 1)
        try catalog.take([.member(MemberChange(ofUser: user, .record([record])))])
    }

    private func outcome(_ user: Int = 0, at days: Double) throws -> [Quantity: [Int]] {
        let outcomes = try ExperimentOutcomes(of: entry, from: catalog.facts, atMilliseconds: Self.time(days))
        var found: [Quantity: [Int]] = [:]
        for event in outcomes.members[user].events {
            found[event.quantity, default: []] += Array(repeating: event.day, count: Int(event.amount))
        }
        return found.mapValues { $0.sorted() }
    }

    @Test("Only what comes from the lists of the experiment counts, on its day")
    func counting() throws {
        try show("l", to: "ann", arm: "two", at: 1.5)
        try show("m", to: "ann", arm: "two", at: 3.2)
        try show("n", to: "ann", arm: "two", at: 3.2, count: 0)
        try act(.join, "a", "l", by: "ann", at: 1.6)
        try act(.join, "b", "m", by: "ann", at: 3.3)
        try act(.join, "c", "other", by: "ann", at: 3.4)
        try act(.click, "c", nil, by: "ann", at: 3.5)
        try act(.dismiss, "c", "l", by: "ann", at: 3.6)
        try act(.impression, "a", "l", by: "ann", at: 1.55)
        #expect(
            try outcome(at: 4) == [
                .pages: [1, 3, 3], .emptyPages: [3], .confirmedPages: [1], .returnDays: [3], .joins: [1, 3],
                .topics: [1, 1], .dismissals: [3], .exposures: [1, 3, 3], .interactions: [1, 3, 3, 3],
                .unexplained: [3],
            ])
        // Both joins are kept 7 days later, unless the member leaves before.
        #expect(try outcome(at: 12)[.keptJoins] == [8, 10])
        try act(.leave, "b", nil, by: "ann", at: 9)
        #expect(try outcome(at: 12)[.keptJoins] == [8])
        try act(.leave, "a", nil, by: "ann", at: 8.7)
        #expect(try outcome(at: 12)[.keptJoins] == [8])
    }

    @Test("The time of answers is a mean over the pages whose time is known, and a guardrail")
    func answerTimes() throws {
        try show("l", to: "ann", arm: "one", at: 1, microseconds: 1500)
        try show("l", to: "ann", arm: "one", at: 1, microseconds: 500)
        try show("m", to: "ann", arm: "one", at: 2)
        try show("l", to: "bob", arm: "one", at: 1, microseconds: 4000)
        for user in ["cy", "dan"] { try show("l", to: user, arm: "two", at: 1, microseconds: 7000) }
        let outcomes = try ExperimentOutcomes(of: entry, from: catalog.facts, atMilliseconds: Self.time(4))
        let report = ExperimentReport(entry.definition, outcomes.members, course: outcomes.course)
        let comparison = try #require(report.comparisons.first { $0.measure == .answerTime })
        #expect(comparison.control == 2 && comparison.value == 7)
        #expect(comparison.adjustedPValue == nil && Measure.answerTime.isGuardrail)
        #expect(report.pageCounts == [4, 2])
    }

    @Test("What members did in the weeks before is known, and nothing older or between")
    func before() throws {
        for (index, days) in [-29, -27, -1, 0.5].enumerated() {
            try act(.join, ["a", "b", "c", "a"][index], "old", by: "ann", at: days)
        }
        try show("l", to: "ann", arm: "one", at: 1)
        let outcomes = try ExperimentOutcomes(of: entry, from: catalog.facts, atMilliseconds: Self.time(2))
        #expect(outcomes.members.map(\.before) == [[.joins: 2]])
        #expect(outcomes.members.map(\.groupCount) == [3])
        #expect(outcomes.course.dayCount == 2)
    }

    @Test("Members of two arms are counted and left out, and nothing counts after the end")
    func crossing() throws {
        var entry = entry
        try show("l", to: "ann", arm: "one", at: 1)
        try show("m", to: "ann", arm: "two", at: 2)
        try show("l", to: "bob", arm: "one", at: 1)
        try show("late", to: "cy", arm: "one", at: 5)
        // Two ids of one member were shown lists of the same arm.
        try show("l", to: "guest", arm: "two", at: 1)
        try show("l", to: "dan", arm: "two", at: 2)
        try catalog.take([.renaming(RenamingChange(.user, from: "guest", to: "dan", atMilliseconds: 0))])
        entry.stoppedAtMilliseconds = Self.time(4)
        let outcomes = try ExperimentOutcomes(of: entry, from: catalog.facts, atMilliseconds: Self.time(9))
        #expect(outcomes.facts.crossedCount == 2 && outcomes.members.map(\.arm) == [0] && outcomes.course.dayCount == 4)
    }
}
