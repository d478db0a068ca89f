import Foundation
import Model
import Testing

@testable import Experiments

/// Experiments that can be defined and started, and others that cannot.
@Suite struct RegisterTests {
    private let sound = ExperimentDefinition(
        "sound", arms: [.init("a"), .init("b", settings: ["lambda": 0.2])],
        plan: ExperimentPlan(decides: .joins, memberCount: 1000, effect: 0.05))

    private func problem(_ change: (inout ExperimentDefinition) -> Void) -> String? {
        var definition = sound
        change(&definition)
        return definition.problem(settings: ListSetting.all(of: .standard))
    }

    @Test func definitionsAreChecked() {
        #expect(problem { _ in } == nil)
        #expect(problem { $0.name = "Not so" }?.contains("\"Not so\" is no name") == true)
        #expect(problem { $0.arms[0].name = "" }?.contains("name of an arm") == true)
        #expect(problem { $0.seed = "__lists" }?.contains("not begin with __") == true)
        #expect(problem { $0.to = 1.01 }?.contains("from 0 to 1") == true)
        #expect(problem { $0.from = 1 }?.contains("to a greater one") == true)
        #expect(problem { ($0.startsAt, $0.endsAt) = (5, 5) } == "it would end before it begins")
        #expect(problem { ($0.eligibility.fewestGroups, $0.eligibility.mostGroups) = (2, 1) } != nil)
        #expect(problem { $0.arms.removeLast() } == "it has 1 arms: give 2 to 16")
        #expect(problem { $0.arms[1].name = "a" } == "two arms have the same name")
        for weight in [0, -1, .infinity, .nan] {
            #expect(problem { $0.arms[1].weight = weight }?.contains("above 0") == true)
        }
        #expect(
            problem {
                $0.arms[0].weight = 1e308; $0.arms[1].weight = 1e308
            }?.contains("too large") == true)
        #expect(problem { $0.arms[1].weight = 1e-5 }?.contains("arm b is so small") == true)
        #expect(problem { ($0.from, $0.to) = (0.50001, 0.50004) }?.contains("so small that nobody") == true)
        // An earlier program may have started what this one refuses: daemons live on.
        var started = ExperimentRegister()
        var extreme = sound
        for index in extreme.arms.indices { extreme.arms[index].weight = 1e308 }
        #expect(started.start(extreme, atMilliseconds: 1) == nil)
        #expect(Assigner(started).arms(ofMember: "ann", groupCount: 1, atMilliseconds: 2).count == 1)
        #expect(problem { $0.arms[1].settings = ["lamda": 1] }?.contains("sets \"lamda\": give one of") == true)
        #expect(problem { $0.arms[1].settings = ["lambda": .nan] }?.contains("from 0.0 to 1.0") == true)
    }

    @Test func aPlanIsNeededAndChecked() {
        #expect(problem { $0.plan?.memberCount = nil }?.contains("no end") == true)
        #expect(
            problem {
                $0.plan?.memberCount = nil; $0.endsAt = 7
            } == nil)
        #expect(problem { $0.plan?.effect = nil }?.contains("smallest difference") == true)
        #expect(problem { $0.plan?.effect = -0.1 }?.contains("above 0%") == true)
        #expect(problem { $0.plan?.cap = 0.1 }?.contains("cap must be") == true)
        #expect(
            problem {
                $0.isInterleaved = true; $0.plan?.decides = .topics
            }?.contains("clicks or joins") == true)
        var register = ExperimentRegister()
        var planless = sound
        planless.plan = nil
        #expect(register.start(planless, atMilliseconds: 1)?.contains("no plan") == true)
        #expect(register.entries.isEmpty)
        var other = sound
        #expect(register.start(sound, atMilliseconds: 1) == nil)
        other.plan?.memberCount = 10
        #expect(register.start(other, atMilliseconds: 2)?.contains("differs from the file") == true)
    }

    @Test func whatRunsCannotBeChanged() {
        var register = ExperimentRegister()
        #expect(register.start(sound, atMilliseconds: 1) == nil)
        #expect(register.start(sound, atMilliseconds: 2)?.contains("runs already") == true)
        var changed = sound
        changed.arms[1].weight = 2
        #expect(register.start(changed, atMilliseconds: 2)?.contains("differs from the file") == true)
        #expect(register["sound"]?.definition == sound)
        #expect(register.stop("sound", atMilliseconds: 3) == true)
        #expect(register.stop("sound", atMilliseconds: 4) == false)
        #expect(register["sound"]?.stoppedAtMilliseconds == 3)
        #expect(register.start(sound, atMilliseconds: 5)?.contains("another name") == true)
    }

    @Test func experimentsOfALayerShareNoMembers() {
        var register = ExperimentRegister()
        var (first, second) = (sound, sound)
        (first.name, first.layer, first.to) = ("first", "lists", 0.5)
        (second.name, second.layer, second.from) = ("second", "lists", 0.4)
        #expect(register.start(first, atMilliseconds: 0) == nil)
        #expect(register.start(second, atMilliseconds: 0)?.contains("some of the same members") == true)
        second.from = 0.5
        #expect(register.start(second, atMilliseconds: 0) == nil)
    }

    /// Arms of the same members cannot be told apart, and what is over at once can never be started again.
    @Test func whatCannotBeToldApartIsNotStarted() {
        var register = ExperimentRegister()
        var (first, second) = (sound, sound)
        (first.name, first.layer, second.name, second.layer) = ("first", "lists", "second", "other")
        #expect(register.start(first, atMilliseconds: 0) == nil)
        #expect(register.start(second, atMilliseconds: 0)?.contains("runs with the same seed") == true)
        second.seed = "second"
        second.endsAt = 60
        #expect(register.start(second, atMilliseconds: 60_000)?.contains("is in the past") == true)
        #expect(register.start(second, atMilliseconds: 59_999) == nil)
    }

    @Test func aListIsMadeFromOneVersion() throws {
        var register = ExperimentRegister()
        var (first, second) = (sound, sound)
        (first.name, first.layer, second.name, second.layer) = ("first", "lists", "second", "other")
        second.seed = "second"
        first.arms[0].version = try VersionName("v1")
        #expect(register.start(first, atMilliseconds: 0) == nil)
        #expect(register.start(second, atMilliseconds: 0) == nil)
        (second.name, second.layer, second.seed) = ("third", "third", "third")
        second.arms[1].version = try VersionName("v2")
        #expect(register.start(second, atMilliseconds: 0)?.contains("give both the same layer") == true)
        (first.to, second.layer, second.from) = (0.5, "lists", 0.5)
        #expect(register.start(second, atMilliseconds: 0)?.contains("some of the same members") == true)
        #expect(register.stop("first", atMilliseconds: 1) == true)
        #expect(register.start(second, atMilliseconds: 2) == nil)
    }

    @Test func theHoldoutStaysWhileAnythingRuns() {
        var register = ExperimentRegister()
        #expect(register.setHoldout(0.05) == nil)
        #expect(register.start(sound, atMilliseconds: 0) == nil)
        #expect(register.setHoldout(0.05) == nil)
        #expect(register.setHoldout(0.1)?.contains("runs") == true)
        #expect(register.stop("sound", atMilliseconds: 1) == true)
        #expect(register.setHoldout(0.1) == nil)
    }

    @Test func keptAsJSON() {
        var register = ExperimentRegister()
        var definition = sound
        definition.eligibility.memberIDs = ["é", "a/b"]
        definition.endsAt = 7
        #expect(register.setHoldout(0.25) == nil)
        #expect(register.start(definition, atMilliseconds: 9) == nil)
        #expect(ExperimentRegister(encoded: register.encoded) == register)
        #expect(ExperimentRegister(encoded: nil) == ExperimentRegister())
        #expect(ExperimentRegister(encoded: Array("{}".utf8)) == nil)
    }
}
