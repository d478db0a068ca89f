import Model
import Similarity
import Testing

@testable import Evaluation

@Suite("Looking for settings")
struct TuningSearchTests {
    private static let members = Relation(rawValue: "members")
    private static let photos = Relation(rawValue: "photos")

    /// Returns the height of a hill: greatest at some settings, lower with every parameter that differs.
    private static func height(_ settings: TunedSettings) -> Double {
        var height = 1.0
        func lower(_ value: Double, from best: Double, by scale: Double) {
            height -= 0.02 * ((value - best) / scale) * ((value - best) / scale)
        }
        for relation in settings.relations {
            guard let part = settings[relation] else { continue }
            lower(part.formula.degreeDiscount, from: 0.4, by: 0.5)
            lower(part.formula.sourceExponent, from: 0.5, by: 0.3)
            lower(part.formula.neighbourExponent, from: 0.35, by: 0.3)
            lower(part.formula.scorePower, from: 1.4, by: 0.6)
            lower(part.formula.listPower, from: 0.8, by: 0.4)
            height -= part.formula.cut == .source ? 0 : 0.03
            height -= part.limit == 200 ? 0 : 0.01
        }
        lower(settings[photos]?.weight ?? 0, from: 0.5, by: 0.5)
        return height
    }

    private static let search = TuningSearch(
        starts: [
            TunedSettings([members: .init(), photos: .init()]),
            TunedSettings([members: .init(limit: 25), photos: .init(limit: 25)]),
        ], membership: members, limit: 200)

    @Test("It climbs to the top, and leaves the weight of memberships alone")
    func climbs() throws {
        var count = 0
        let best = Self.search.best { settings, _ in
            count += 1
            return Self.height(settings)
        }
        #expect(Self.height(best) > 0.99 && count < 3000)
        let (members, photos) = (try #require(best[Self.members]), try #require(best[Self.photos]))
        #expect(members.weight == 1 && (0.25...1).contains(photos.weight))
        #expect(members.limit == 200 && members.formula.cut == .source)
        #expect(abs(members.formula.listPower - 0.8) <= 0.125)
    }

    @Test("With no time it keeps the first settings, with some the best so far", arguments: [0, 1, 2, 40, 90])
    func timeIsUp(trials: Int) {
        var values: [TunedSettings: Double] = [:]
        let best = Self.search.best { settings, sample throws(TuningSearch.DeadlineReached) in
            guard values.count < trials else { throw TuningSearch.DeadlineReached() }
            values[settings] = Self.height(settings)
            return Self.height(settings)
        }
        // An improvement by next to nothing is not taken.
        let most = values.values.max() ?? 0
        #expect(trials == 0 ? best == Self.search.starts[0] : Self.height(best) >= most * 0.998)
    }

    @Test("With the results of a run that was cut off it tries what an undisturbed run tries")
    func resumed() {
        var all: [TunedSettings] = []
        _ = Self.search.best { settings, _ in
            all.append(settings)
            return Self.height(settings)
        }
        var again: [TunedSettings] = []
        _ = Self.search.best { settings, _ throws(TuningSearch.DeadlineReached) in
            guard again.count < 70 else { throw TuningSearch.DeadlineReached() }
            again.append(settings)
            return Self.height(settings)
        }
        // A timeout ends the first stage only; the trials before it are the same.
        #expect(again.prefix(20) == all.prefix(20))
    }

    @Test("No step leaves the bounds of a parameter", arguments: TuningParameter.allCases)
    func bounds(parameter: TuningParameter) {
        for up in [true, false] {
            var part = TunedSettings.Part()
            for _ in 0..<50 { part = parameter.step(from: part, size: 1, up: up) ?? part }
            let formula = part.formula
            #expect((0...2).contains(formula.degreeDiscount) && formula.shrinkage >= 0)
            #expect((0...2).contains(formula.sourceExponent) && (0...2).contains(formula.neighbourExponent))
            #expect((0.2...4).contains(formula.scorePower) && (0...1).contains(formula.listPower))
            #expect(PairLists.limits.contains(part.limit) && (0...64).contains(part.weight))
        }
    }
}
