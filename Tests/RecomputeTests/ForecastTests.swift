import Basics
import CatalogStore
import Model
import ModelStore
import Similarity
import TestSupport
import Testing

@testable import Recompute

@Suite("Forecasts of the remaining time")
struct ForecastTests {
    /// Plays steps that take other times than expected, ten portions each; expects every prediction from a fifth of the
    /// way on to be within a quarter.
    private func play(expected: [Double], actual: [Double]) {
        let total = actual.reduce(0, +)
        var forecast = Forecast(
            steps: expected.enumerated().map { .init(name: "step \($0)", expectedSeconds: $1) })
        var elapsed = 0.0
        func check() {
            guard elapsed >= total / 5 else { return }
            let predicted = elapsed + forecast.remainingSeconds
            #expect(abs(predicted - total) <= total / 4, "\(predicted) of \(total) s after \(elapsed) s")
        }
        for (step, seconds) in actual.enumerated() {
            forecast.begin("step \(step)")
            for portion in 1...10 {
                let share = Double(portion) / 10
                forecast.advance(fraction: share, seconds: seconds * share)
                elapsed += seconds / 10
                check()
            }
            forecast.end(seconds: seconds)
            check()
        }
        #expect(forecast.remainingSeconds < 1e-9)
    }

    @Test("the first steps reveal a machine of another speed")
    func pace() {
        play(expected: [3, 2, 3, 6, 1], actual: [3, 2, 3, 6, 1])
        play(expected: [3, 2, 3, 6, 1], actual: [9, 6, 9, 18, 3])
        play(expected: [3, 2, 3, 6, 1], actual: [1, 0.7, 1, 2, 0.3])
    }

    @Test("a step corrects its forecast while it runs")
    func surprise() {
        play(expected: [3, 4], actual: [3, 5])
        play(expected: [4, 1], actual: [6, 1.2])
    }

    @Test("the first report of a step that was long in beginning says little")
    func slowBeginning() {
        var forecast = Forecast(steps: [14, 27, 15].enumerated().map { .init(name: "\($0)", expectedSeconds: $1) })
        forecast.begin("0")
        forecast.end(seconds: 24)
        forecast.begin("1")
        forecast.advance(fraction: 0.03, seconds: 8)
        let predicted = 24 + 8 + forecast.remainingSeconds
        #expect(abs(predicted - 95) <= 95 / 4, "\(predicted) s instead of 24 + 46 + 25")
    }

    /// Of a community of 100,000 groups.
    private func estimate(
        isDated: Bool = false, content: ContentEstimate = .init(), told: Int = 0, publishesMembers: Bool = false,
        _ change: (inout RecomputeParameters) -> Void = { _ in }
    ) -> RecomputeEstimate {
        var parameters = RecomputeParameters(threads: 1)
        change(&parameters)
        let work: [Relation: WorkEstimate] = [
            .members: .init(rows: 58_000_000, increments: 7e10, hasDates: isDated),
            .photos: .init(rows: 50_000_000, increments: 7e8, hasDates: isDated),
        ]
        return RecomputeEstimate(
            JobAmounts(
                work: work, content: content, told: told, groups: 100_000, parameters: parameters,
                isShared: publishesMembers, publishesMembers: publishesMembers && !parameters.isDryRun))
    }

    @Test("an estimate counts work, threads, and the modified cosine's weights")
    func work() {
        let usual = estimate().seconds
        let parallel = estimate { $0.threads = 2 }.seconds
        #expect(parallel < usual && parallel > usual / 2.5)
        #expect(estimate { $0[.members].measure = .cosine }.seconds < usual / 1.5)
    }

    @Test("an estimate counts no more neighbours than there can be, however large k is")
    func neighbours() {
        func estimate(groups: Int, increments: Double, limit: Int, minimumCommon: Int = 1) -> RecomputeEstimate {
            var parameters = RecomputeParameters(threads: 1)
            for relation in RelationTable.standard.requiredRelations {
                (parameters[relation].limit, parameters[relation].minimumCommon) = (limit, minimumCommon)
            }
            let work = WorkEstimate(rows: 1000, increments: increments)
            return RecomputeEstimate(
                JobAmounts(work: [.members: work, .photos: work], groups: groups, parameters: parameters))
        }
        // By the other groups there are.
        let all = estimate(groups: 100, increments: 1e12, limit: 99)
        #expect(estimate(groups: 100, increments: 1e12, limit: 10_000) == all)
        #expect(estimate(groups: 100, increments: 1e12, limit: 98).memoryBytes < all.memoryBytes)
        // By the work.
        let few = estimate(groups: 1_000_000, increments: 5000, limit: 10_000)
        #expect(few.memoryBytes < 64 << 20)
        #expect(
            estimate(groups: 1_000_000, increments: 5000, limit: 10_000, minimumCommon: 5).memoryBytes < few.memoryBytes
        )
        #expect(estimate(groups: 0, increments: 0, limit: 100).memoryBytes > 0)
    }

    @Test("an estimate of a dry run counts neither publishing nor profiles")
    func dryRun() {
        let dry = estimate(publishesMembers: true) { $0.isDryRun = true }
        #expect(!dry.steps.contains { $0.name == JobStep.publish.name || $0.name == JobStep.members.name })
        let whole = estimate(publishesMembers: true)
        #expect(whole.steps.contains { $0.name == JobStep.publish.name } && whole.seconds > dry.seconds + 1)
        #expect(whole.memoryBytes >= dry.memoryBytes)
    }

    @Test("an estimate counts dates, tags, locations and profiles only if there are any")
    func content() {
        func seconds(_ step: JobStep, of estimate: RecomputeEstimate) -> Double? {
            estimate.steps.first { $0.name == step.name }?.expectedSeconds
        }
        let plain = estimate()
        #expect(seconds(.content, of: plain) == 0 && seconds(.activity, of: plain) == 0)
        #expect(seconds(.members, of: plain) == nil)
        #expect(seconds(.members, of: estimate(publishesMembers: true)) ?? 0 > 0)
        #expect(seconds(.activity, of: estimate(isDated: true)) ?? 0 > 1)
        let places = estimate(content: .init(photos: 20_000_000, hasPlaces: true))
        let tags = estimate(content: .init(photos: 20_000_000, tags: 400_000_000, hasPlaces: true))
        #expect(plain.seconds < places.seconds && places.seconds < tags.seconds)
        #expect(tags.memoryBytes > plain.memoryBytes + 400_000_000)
        let themes = JobStep.compare(.themes)
        let favourites = JobStep.compare(.favourites)
        #expect(seconds(themes, of: places) == nil && seconds(themes, of: tags) ?? 0 > 0)
        #expect(seconds(favourites, of: tags) == nil && seconds(.hints, of: tags) == nil)
        let told = estimate(told: 100_000_000)
        #expect(seconds(favourites, of: told) ?? 0 > 0 && seconds(.hints, of: told) ?? 0 > 10)
    }

    @Test("an earlier version with the same parameters predicts the time of the steps")
    func learning() throws {
        let community = try SmallCommunity.random(seed: 400)
        let first = RecordingObserver()
        var manifest = try community.recompute(observer: first).manifest
        for index in manifest.steps.indices { manifest.steps[index].seconds = 1000 }
        let work = try #require(first.estimate).work
        let estimate = RecomputeEstimate(
            JobAmounts(work: work, groups: 10, parameters: .init(threads: 2), previous: manifest))
        #expect(estimate.seconds > 3000)
    }

    @Test("a job takes its steps in the order of the table, so that the forecast drops none that is still to come")
    func order() throws {
        let observer = RecordingObserver()
        _ = try SmallCommunity.random(seed: 402).recompute(observer: observer)
        let table = JobStep.all(of: .standard).map(\.name)
        let places = observer.began.filter { $0 != JobStep.applyChanges.name }.map { table.firstIndex(of: $0) }
        #expect(places.count > 8 && !places.contains(nil))
        #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted())
    }

    @Test("too little memory is an error before anything large is read, and says what to change")
    func memory() throws {
        let community = try SmallCommunity.random(seed: 401)
        let observer = RecordingObserver()
        var job = RecomputeJob(
            catalogPath: community.catalogPath, store: community.store, parameters: .init(threads: 1),
            startedAtMilliseconds: 1_795_000_000_000)
        job.memoryLimitBytes = 1 << 20
        #expect { try job.run(observer: observer) } throws: { error in
            guard let error = error as? Failure else { return false }
            return error.code == .tryLater && error.message.contains("and 1 MiB are available")
                && error.message.contains("--neighbours")
        }
        #expect(observer.estimate != nil && observer.began.isEmpty)
        #expect(try community.store.versions().isEmpty)
    }
}
