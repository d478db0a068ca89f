import Foundation
import Model
import Recommendation
import TestSupport
import Testing

@testable import Experiments

/// The assignment of members to arms.
@Suite struct AssignmentTests {
    private func definition(_ name: String, _ weights: Double...) -> ExperimentDefinition {
        ExperimentDefinition(
            name, arms: weights.enumerated().map { .init("arm-\($0)", weight: $1) },
            plan: ExperimentPlan(decides: .joins, memberCount: 1000, effect: 0.05))
    }

    private func assigner(_ definitions: ExperimentDefinition..., holdout: Double = 0) -> Assigner {
        var register = ExperimentRegister()
        #expect(register.setHoldout(holdout) == nil)
        for definition in definitions { #expect(register.start(definition, atMilliseconds: 0) == nil) }
        return Assigner(register)
    }

    /// The members' arms fit the weights, and the arms of two experiments are independent.
    @Test func armsFitTheWeightsAndAreIndependent() {
        let assigner = assigner(definition("one", 1, 1), definition("two", 3, 1), holdout: 0.1)
        var counts: [[String]: Int] = [:]
        let total = 40_000
        for number in 0..<total {
            let arms = assigner.arms(ofMember: "member-\(number)", groupCount: 5, atMilliseconds: 1)
            counts[arms.map(\.arm), default: 0] += 1
        }
        let cells = [["arm-0", "arm-0"], ["arm-1", "arm-0"], ["arm-0", "arm-1"], ["arm-1", "arm-1"]]
        let found = cells.map { counts[$0] ?? 0 } + [counts[[]] ?? 0]
        #expect(found.reduce(0, +) == total)
        let weights = [0.9 * 0.375, 0.9 * 0.375, 0.9 * 0.125, 0.9 * 0.125, 0.1]
        #expect(SampleRatio.pValue(counts: found, weights: weights) > 0.01)
    }

    /// Another rule would give members of a running experiment another arm.
    @Test func theArmIsThatOfTheBucketOfSeedAndID() {
        let definition = definition("pinned", 1, 1)
        let assigner = assigner(definition)
        for number in 0..<100 {
            let bucket = MemberBucket(seed: definition.seed, memberID: "member-\(number)")
            let arms = assigner.arms(ofMember: "member-\(number)", groupCount: 5, atMilliseconds: 1)
            #expect(arms.map(\.arm) == [bucket.index < 5000 ? "arm-0" : "arm-1"])
        }
    }

    /// An arm that was shown under an earlier id stays, and the rules of a layer hold for such a member, too.
    @Test func aShownArmStays() {
        var (first, second) = (definition("first", 1, 1), definition("second", 1, 1))
        (first.layer, second.layer, first.to, second.from) = ("lists", "lists", 0.5, 0.5)
        first.eligibility.memberIDs = ["guest"]
        let assigner = assigner(first, second, definition("other", 1, 1), holdout: 0.5)
        for number in 0..<100 {
            let id = "member-\(number)"
            func arms(_ shown: [String: String]) -> [AssignedArm] {
                assigner.arms(ofMember: id, groupCount: 0, shown: shown, atMilliseconds: 0)
            }
            let without = arms([:])
            for arm in ["arm-0", "arm-1"] {
                let others = without.filter { $0.experiment == "other" }
                #expect(arms(["first": arm]) == [AssignedArm("first", arm)] + others)
                #expect(arms(["second": arm, "past": arm]) == [AssignedArm("second", arm)] + others)
                #expect(arms(["first": arm, "second": arm]) == [AssignedArm("first", arm)] + others)
            }
            #expect(arms(["past": "arm-0"]) == without)
        }
    }

    /// A member's arm is independent of the part of the layer, and no member is in two parts.
    @Test func partsOfALayerExcludeOneAnother() {
        var (first, second) = (definition("first", 1, 1), definition("second", 1, 1))
        (first.layer, second.layer) = ("lists", "lists")
        (first.from, first.to, second.from, second.to) = (0, 0.25, 0.25, 1)
        let assigner = assigner(first, second)
        var counts: [String: Int] = [:]
        for number in 0..<20_000 {
            let arms = assigner.arms(ofMember: String(number), groupCount: 0, atMilliseconds: 0)
            #expect(arms.count == 1)
            for arm in arms { counts["\(arm.experiment) \(arm.arm)", default: 0] += 1 }
        }
        let found = ["first arm-0", "first arm-1", "second arm-0", "second arm-1"].map { counts[$0] ?? 0 }
        #expect(SampleRatio.pValue(counts: found, weights: [1, 1, 3, 3]) > 0.01)
    }

    @Test func onlyMembersWhoAreKnownSinceADay() {
        var old = definition("old", 1, 1)
        old.eligibility.knownSince = 10 * 86_400
        let assigner = assigner(old)
        func isIn(_ knownSince: Int64?) -> Bool {
            let arms = assigner.arms(
                ofMember: "a", groupCount: 0, knownSinceMilliseconds: knownSince, atMilliseconds: 0)
            return !arms.isEmpty
        }
        // All of the tenth day counts.
        let nextDay: Int64 = 11 * 86_400_000
        #expect(!isIn(nil) && isIn(0) && isIn(nextDay - 86_400_000) && isIn(nextDay - 1) && !isIn(nextDay))
    }

    @Test func onlyEligibleMembersWhileItRuns() {
        var limited = definition("limited", 1, 1)
        limited.eligibility.fewestGroups = 3
        limited.eligibility.mostGroups = 5
        (limited.startsAt, limited.endsAt) = (100, 200)
        var chosen = definition("chosen", 1, 1)
        chosen.eligibility.memberIDs = ["a"]
        let assigner = assigner(limited, chosen)
        func experiments(_ id: String, _ count: Int, _ seconds: Int64) -> [String] {
            assigner.arms(ofMember: id, groupCount: count, atMilliseconds: seconds * 1000).map(\.experiment)
        }
        #expect([2, 3, 5, 6].map { experiments("b", $0, 100) } == [[], ["limited"], ["limited"], []])
        #expect([99, 199, 200].map { experiments("b", 4, $0) } == [[], ["limited"], []])
        #expect(experiments("a", 0, 0) == ["chosen"])
    }

    @Test func settingsOfArms() {
        var definition = definition("varied", 1, 1)
        definition.arms[1].settings = ["lambda": 0.3, "weight-members": 2, "rotation-hours": 12]
        let assigner = assigner(definition)
        let values = assigner.choice(of: [AssignedArm("varied", "arm-1"), AssignedArm("unknown", "arm-1")]).settings
        let configuration = PlanConfiguration().setting(values)
        #expect(configuration.selection.lambda == 0.3)
        #expect(configuration.rotation.hours == 12)
        let weights = configuration.relations.map { $0.name == "members" ? $0.weight / 2 : $0.weight }
        #expect(weights == RelationTable.standard.map(\.weight))
        #expect(PlanConfiguration().setting([:]) == PlanConfiguration())
    }

    @Test func settingsOfAnArmWithTheNameOfAnother() {
        var (first, second) = (definition("first", 1, 1), definition("second", 1, 1))
        first.arms[1].settings = ["lambda": 0.3]
        second.arms[1].settings = ["lambda": 0.6]
        let assigner = assigner(first, second)
        for (name, value) in [("first", 0.3), ("second", 0.6)] {
            #expect(assigner.choice(of: [AssignedArm(name, "arm-1")]).settings == ["lambda": value])
        }
    }

    /// A list is drafted from two lists at most, and both have the settings of other experiments.
    @Test func interleavedArms() throws {
        var (drafted, second, plain) = (
            definition("drafted", 1, 1), definition("second", 1, 1), definition("plain", 1, 1)
        )
        (drafted.isInterleaved, second.isInterleaved) = (true, true)
        drafted.arms[1].settings = ["lambda": 0.3]
        for index in 0...1 { plain.arms[index].settings = ["rotation-hours": 12] }
        let assigner = assigner(drafted, second, plain)
        let arms = assigner.arms(ofMember: "ann", groupCount: 0, atMilliseconds: 0)
        #expect(arms.map(\.experiment) == ["drafted", "plain"])
        #expect(arms.first?.arm == AssignedArm.interleaved)
        let lists = try #require(assigner.interleaved(arms))
        #expect(lists.first.settings == ["rotation-hours": 12])
        #expect(lists.second.settings == ["rotation-hours": 12, "lambda": 0.3])
        #expect(assigner.interleaved([AssignedArm("plain", "arm-0")]) == nil)
        drafted.arms.append(.init("third"))
        #expect(drafted.problem(settings: ListSetting.all(of: .standard))?.contains("not of 3") == true)
    }

    /// Every setting changes something, and takes both of its bounds.
    @Test(arguments: ListSetting.all(of: .standard).map(\.name))
    func everySetting(name: String) throws {
        let setting = try #require(ListSetting.all(of: .standard).first { $0.name == name })
        let bounds = [setting.bounds.lowerBound, setting.bounds.upperBound]
        #expect(Set(bounds.map { String(describing: PlanConfiguration().setting([name: $0])) }).count == 2)
    }

    /// The ten lines of Python in the article find the same arm.
    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "python3 is not installed"))
    func pythonComesToTheSameArm() throws {
        var python = #"""
            def fnv1a32(data):
                value = 0x811C9DC5
                for byte in data:
                    value = (value ^ byte) * 0x01000193 % 2**32
                return value
            def bucket(seed, member):
                return fnv1a32(str(fnv1a32((seed + member).encode())).encode()) % 10000
            def arm(seed, member, weights):
                ends = [int(10000 * (sum(weights[:n + 1]) / sum(weights)) + 0.5) for n in range(len(weights))]
                return next(n for n, end in enumerate(ends) if bucket(seed, member) < end)

            """#
        let weights = [0.1, 0.2, 0.7]
        let ids = (0..<300).map { "mémber \($0)" }
        python += "for n in range(300): print(arm('a seed', f'mémber {n}', [0.1, 0.2, 0.7]))"
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-X", "utf8", "-c", python]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let table = ArmTable(weights: weights)
        let here = ids.map { table.arm(of: MemberBucket(seed: "a seed", memberID: $0)) }
        #expect(text.split(separator: "\n").compactMap { Int($0) } == here)
    }
}
