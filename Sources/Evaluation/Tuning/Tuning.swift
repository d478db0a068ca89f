package import Similarity

/// A choice of settings by held-out memberships, within a budget of time.
package struct Tuning: Sendable {
    /// The budget in seconds, which includes the time in the journal.
    package var budgetSeconds: Double
    private let community: TuningCommunity
    private let starts: [TunedSettings]
    private let threads: Int

    /// The least number of members for trials on a part of the members.
    private static let fewMembers = 1000
    /// The weights that other relations may have without a tuning; memberships have 1.
    private static let usualWeights = [0, 0.125, 0.5, 1, 2]
    /// The part of the budget for trials on a part of the members.
    private static let partForFew = 0.5
    /// The largest part of the budget for judging.
    private static let partForJudges = 0.2

    /// - Parameter usual: The settings that are served without a tuning. Relations without settings here begin with the
    ///   standard ones.
    package init(
        _ community: TuningCommunity, usual: TunedSettings, earlier: TunedSettings?, budgetSeconds: Double, threads: Int
    ) {
        self.community = community
        self.budgetSeconds = budgetSeconds
        self.threads = threads
        let relations = community.relations
        func complete(_ settings: TunedSettings) -> TunedSettings {
            TunedSettings(
                Dictionary(uniqueKeysWithValues: relations.map { ($0, settings[$0] ?? usual[$0] ?? .init()) }))
        }
        let known = TunedSettings.knownParts.map { part in
            TunedSettings(Dictionary(uniqueKeysWithValues: relations.map { ($0, part) }))
        }
        starts = [complete(usual)] + (earlier.map { [complete($0)] } ?? []) + known
    }

    /// Chooses settings.
    ///
    /// - Parameters:
    ///   - journal: The trials of an earlier run on the same memberships.
    ///   - clock: Returns the time in Unix milliseconds.
    ///   - note: Receives the journal after each trial.
    package func run(
        _ journal: TuningJournal, began: ContinuousClock.Instant, clock: () -> Int64,
        note: (TuningJournal) throws -> Void
    ) throws -> TuningRecord {
        let scorer = TuningScorer(community, community.choosing, threads: threads)
        let all = Array(0..<community.memberCounts.choosing)
        let few = Array(stride(from: 0, to: all.count, by: max(1, all.count / Self.fewMembers)))
        let before = journal.seconds
        var journal = journal
        var known = Dictionary(
            journal.trials.map { (Trial(settings: $0.settings, isOnAll: $0.isOnAll), $0.value) },
            uniquingKeysWith: { first, _ in first })
        let usual = weighted(starts[0].limited(to: scorer.limit), scorer, on: few)
        var longest = 0.0
        var usualValues: [Double]?
        var failure: (any Error)?
        let search = TuningSearch(
            starts: [usual] + starts.dropFirst().map { $0.limited(to: scorer.limit) },
            membership: community.membership, limit: scorer.limit)
        let settings = search.best { (settings, sample) throws(TuningSearch.DeadlineReached) in
            let trial = Trial(settings: settings, isOnAll: sample == .all)
            if let value = known[trial] { return value }
            let part = sample == .all ? 1 : Self.partForFew
            let elapsed = before + began.duration(to: .now) / .seconds(1)
            let needed = longest + Double(judgingFoldCount(longestTrial: longest)) * judgingSeconds(longest)
            guard failure == nil, elapsed + needed < budgetSeconds * part else { throw TuningSearch.DeadlineReached() }
            let start = ContinuousClock.now
            let found = scorer.accuracies(settings, of: sample == .all ? all : few)
            let value = Self.mean(found.map(\.value))
            longest = max(longest, start.duration(to: .now) / .seconds(1))
            known[trial] = value
            var difference: PairedDifference?
            if sample == .all {
                let others = usualValues ?? scorer.accuracies(usual, of: all).map(\.value)
                usualValues = others
                difference = PairedDifference(found.map(\.value), others)
            }
            journal.trials.append(
                .init(
                    settings: settings, isOnAll: sample == .all, recall: Self.mean(found.map(\.recall)),
                    gain: Self.mean(found.map(\.gain)), difference: difference))
            journal.seconds = before + began.duration(to: .now) / .seconds(1)
            do { try note(journal) } catch { failure = error }
            return value
        }
        if let failure { throw failure }
        let foldCount = judgingFoldCount(longestTrial: longest)
        return try judged(settings, usual: usual, foldCount: foldCount, clock: clock)
    }

    /// Returns the number of folds for judging that fit into their part of the budget, at least 1.
    private func judgingFoldCount(longestTrial seconds: Double) -> Int {
        let affordable = Self.partForJudges * budgetSeconds / max(judgingSeconds(seconds), .leastNormalMagnitude)
        return max(1, min(community.judgingFoldCount, Int(min(affordable, 1000))))
    }

    /// Returns the seconds to judge on one fold, with the usual settings and the chosen ones.
    private func judgingSeconds(_ longestTrial: Double) -> Double {
        2 * longestTrial / Double(community.choosing.count)
    }

    private struct Trial: Hashable {
        let settings: TunedSettings
        let isOnAll: Bool
    }

    /// Returns settings with the best weights of other relations, about as the evidence of a recompute chooses them.
    private func weighted(_ settings: TunedSettings, _ scorer: TuningScorer, on members: [Int]) -> TunedSettings {
        var best = settings
        for relation in community.relations.dropFirst() {
            var greatest = -Double.infinity
            for weight in Self.usualWeights {
                var changed = best
                changed[relation]?.weight = weight
                let value = Self.mean(scorer.accuracies(changed, of: members).map(\.value))
                if value > greatest { (greatest, best) = (value, changed) }
            }
        }
        return best
    }

    private func judged(
        _ settings: TunedSettings, usual: TunedSettings, foldCount: Int, clock: () -> Int64
    ) throws -> TuningRecord {
        let members = Array(0..<community.memberCounts.judging)
        // Means over the folds.
        var found = [[Accuracy]](repeating: members.map { _ in Accuracy() }, count: 3)
        for number in 0..<foldCount {
            let scorer = TuningScorer(community, [try community.judging(number)], threads: threads)
            let lists = [settings, usual].map { scorer.accuracies($0, of: members) }
            for (index, accuracies) in (lists + [scorer.accuraciesOfPopular(of: members)]).enumerated() {
                for (member, accuracy) in accuracies.enumerated() {
                    found[index][member].add(accuracy, weight: 1 / Double(foldCount))
                }
            }
        }
        return TuningRecord(
            settings: settings, tunedAtMilliseconds: clock(), memberCount: members.count,
            usualRecall: Self.mean(found[1].map(\.recall)), recall: Self.mean(found[0].map(\.recall)),
            difference: PairedDifference(found[0].map(\.value), found[1].map(\.value)),
            popularRecall: Self.mean(found[2].map(\.recall)),
            differenceToPopular: PairedDifference(found[0].map(\.value), found[2].map(\.value)))
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

    /// Returns the Σ d² beyond which a matrix should be thinned out.
    ///
    /// A few dozen searches then fit into a budget.
    package static func pairLimit(budgetSeconds: Double, threads: Int) -> Double {
        budgetSeconds * Double(threads) * 1e6
    }
}

extension TunedSettings {
    /// The settings that were best on some public data set.
    fileprivate static var knownParts: [Part] {
        func part(
            _ a: Double, _ p: Double, _ q: Double, _ h: Double, _ r: Double, _ g: Double, _ cut: ListLimitSide,
            _ limit: Int
        ) -> Part {
            Part(
                formula: ModifiedCosine(
                    degreeDiscount: a, sourceExponent: p, neighbourExponent: q, shrinkage: h, scorePower: r, cut: cut,
                    listPower: g), limit: limit)
        }
        return [
            part(0.5, 0.65, 0.31, 4.5, 0.9, 0.5, .target, 100),
            part(0.5, 0.55, 0.2, 0, 1.9, 0.8, .target, 500),
            part(0.5, 0.55, 0.2, 2, 1.5, 0.8, .target, 100),
            part(1, 0.65, 0.4, 4.5, 0.8, 0, .source, 100),
            part(1, 0.5, 0.4, 1, 1, 0, .source, 100),
            part(1.2, 0.4, 0.4, 0, 0.7, 0, .source, 500),
            part(0, 0.5, 0, 4.5, 1, 0, .source, 500),
        ]
    }

    /// Returns these settings with no limit above `limit`.
    fileprivate func limited(to limit: Int) -> TunedSettings {
        var settings = self
        for relation in relations { settings[relation]?.limit = min(limit, self[relation]?.limit ?? limit) }
        return settings
    }
}
