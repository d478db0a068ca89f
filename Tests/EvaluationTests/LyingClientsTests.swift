import CatalogStore
import Changes
import Evaluation
import Experiments
import Foundation
import Model
import TestSupport
import Testing

/// Clients and daemons that lie or lose data, each in one way, in one arm of an experiment without a difference.
@Suite struct LyingClientsTests {
    private static let day: Int64 = 86_400_000
    private static let start = 1000 * day
    private static let memberCount = 1200

    /// A way to lie in the second arm.
    enum Lie: CaseIterable {
        case none, repeatsJoins, inventsGroups, inventsPositions, inventsLists, hidesPages, losesExposures
        case losesMembers, runsBots, hasOldClocks, crossesArms, servesOtherSettings
    }

    private struct Result {
        var report: ExperimentReport
        func comparison(_ measure: Measure) -> ExperimentReport.Comparison? {
            report.comparisons.first { $0.measure == measure }
        }
    }

    private func result(_ lie: Lie) throws -> Result {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/catalog.sqlite"
        let file = directory.path + "/groups.csv"
        let groups = (0..<40).map { "g\($0)" }
        try Data(("group_id,topics\n" + groups.map { "\($0),snow\n" }.joined()).utf8).write(
            to: URL(fileURLWithPath: file))
        _ = try Importer(
            into: Catalog(path: path, mode: .writing), kind: .groups,
            options: ImportOptions(rejectsPath: directory.path + "/rejects")
        ).run([file])
        let catalog = try Catalog(path: path, mode: .recording)
        var register = ExperimentRegister()
        let definition = ExperimentDefinition(
            "same", arms: [.init("a"), .init("b")],
            plan: ExperimentPlan(decides: .joins, memberCount: 5000, effect: 0.1))
        #expect(register.start(definition, atMilliseconds: Self.start) == nil)
        var generator = SeededGenerator(seed: 5)
        var changes: [Change] = []
        for member in 0..<Self.memberCount {
            let isLying = member % 2 == 1
            if isLying, lie == .losesMembers, member % 8 == 1 { continue }
            var (pages, interactions): ([ExposureRecord], [InteractionRecord]) = ([], [])
            let isBot = isLying && lie == .runsBots && member < 10
            for visit in 0..<(isBot ? 40 : 3) {
                let at = Self.start + Int64(visit) * Self.day / 8 + Int64(member) * 1000
                let shown = Array(groups.shuffled(using: &generator).prefix(5))
                let list = "20260101T000000000-aaaa-\(member)x\(visit)"
                let isCrossed = isLying && lie == .crossesArms && member % 100 == 1 && visit == 2
                var page = ExposureRecord(
                    experiment: "same", arm: isLying != isCrossed ? "b" : "a", recommendationID: list, firstPosition: 1,
                    shownCount: shown.count, filters: "", atMilliseconds: at, microseconds: 500)
                page.shown = shown.map { GroupMarks.mark(of: $0) }.joined()
                page.settings = isLying && lie == .servesOtherSettings ? "bbbb" : "aaaa"
                let isLost =
                    isLying && lie == .losesExposures && visit > 0 && Int.random(in: 0..<2, using: &generator) == 0
                if !isLost { pages.append(page) }
                func act(_ kind: Interaction.Kind, _ row: Int, _ time: Int64) -> InteractionRecord {
                    InteractionRecord(
                        id: "\(visit) \(kind) \(row)", kind, groupID: shown[row], atMilliseconds: time,
                        recommendationID: list, position: row + 1)
                }
                let isHidden = isLying && lie == .hidesPages && Int.random(in: 0..<20, using: &generator) < 9
                if !isHidden { interactions.append(act(.impression, 0, at + 1)) }
                guard isBot || Int.random(in: 0..<2, using: &generator) == 0 else { continue }
                var join = act(.join, Int.random(in: 0..<5, using: &generator), at + 2)
                if isLying {
                    if lie == .inventsGroups { join.subjectID = groups.first { !shown.contains($0) } ?? "" }
                    if lie == .inventsPositions { join.position = 999 }
                    if lie == .inventsLists { join.recommendationID = "none" }
                    if lie == .hasOldClocks { join.atMilliseconds -= 3 * Self.day }
                }
                interactions.append(join)
                if isLying, lie == .repeatsJoins {
                    for number in 0..<4 {
                        join.id = "again \(visit) \(number)"
                        interactions.append(join)
                    }
                }
            }
            changes.append(.member(MemberChange(ofUser: "m\(member)", .expose(pages))))
            changes.append(.member(MemberChange(ofUser: "m\(member)", .record(interactions))))
        }
        try catalog.take(changes)
        let entry = try #require(register["same"])
        let outcomes = try ExperimentOutcomes(
            of: entry, from: catalog.facts, atMilliseconds: Self.start + 12 * Self.day)
        return Result(
            report: ExperimentReport(
                definition, outcomes.members, course: outcomes.course, facts: outcomes.facts))
    }

    @Test(arguments: [
        (Lie.inventsGroups, "interactions that no list explains"),
        (.inventsPositions, "interactions that no list explains"),
        (.inventsLists, "interactions that no list explains"), (.hidesPages, "confirmed pages"),
        (.losesExposures, "pages a member"), (.losesMembers, "sample ratio"), (.crossesArms, "members in two arms"),
        (.servesOtherSettings, "versions and settings"),
    ])
    func whatMakesAReportWrongIsNamed(lie: Lie, check: String) throws {
        let report = try result(lie).report
        #expect(report.distrust?.contains(check) == true, "\(lie): \(report.health)")
    }

    @Test func whatIsCountedOnceDoesNoHarm() throws {
        let honest = try result(.none)
        #expect(honest.report.distrust == nil, "\(honest.report.health)")
        let joins = try #require(honest.comparison(.joins))
        for lie in [Lie.repeatsJoins, .hasOldClocks] {
            let lying = try result(lie)
            #expect(lying.report.distrust == nil, "\(lie): \(lying.report.health)")
            #expect(
                lying.comparison(.joins)?.value == joins.value && lying.comparison(.joins)?.control == joins.control)
            #expect(lying.report.health.contains { $0.state == .note }, "\(lie)")
        }
    }

    @Test func botsAreNamedAndCapped() throws {
        let report = try result(.runsBots).report
        #expect(report.distrust == nil, "\(report.health)")
        let check = try #require(report.health.first { $0.name == "members who dominate joins" })
        #expect(check.state == .note && check.seen.contains("m1 ") && check.seen.contains("capped at"), "\(check)")
        let joins = try #require(report.comparisons.first { $0.measure == .joins })
        #expect(report.conclusion(of: joins, tuningCount: 5000) == .undecided)
    }
}
