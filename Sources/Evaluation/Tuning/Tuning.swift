import Model
public import Similarity

/// Chooses settings on memberships that are left out, within a budget of time.
public struct Tuning: Sendable {
    /// How long it may take, in seconds, with what the journal has already.
    public var budgetSeconds: Double
    private let community: TuningCommunity
    private let starts: [TunedSettings]
    private let threads: Int

    /// Samples of the bootstrap.
    private static let sampleCount = 2000
    /// Of the members that settings are chosen on, so many are the few.
    private static let fewMembers = 1000
    /// What other relations may count beside memberships without a tuning.
    private static let usualWeights = [0, 0.125, 0.5, 1, 2]
    /// The part of the budget for the few.
    private static let partForFew = 0.5
    /// The part of the budget for the members who judge, at most.
    private static let partForJudges = 0.2

    /// A tuning.
    ///
    /// - Parameters:
    ///   - usual: what is served without a tuning; relations without settings here are not tuned.
    ///   - earlier: settings of an earlier tuning.
    public init(
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

    /// What came out.
    public struct Outcome: Sendable {
        /// The best settings that were found.
        public var settings: TunedSettings
        /// Recall@20 of the usual settings and of these, of members that settings were not chosen on.
        public var usualRecall, recall: Double
        /// The 95% interval of the difference of the mean of recall@20 and NDCG@20, over the same members: its lower
        /// and its upper bound.
        public var difference: [Double]
        /// How many members that are.
        public var memberCount: Int

        /// Whether the difference is more than chance.
        public var isBetter: Bool { difference[0] > 0 }
    }

    /// Chooses.
    ///
    /// - Parameters:
    ///   - journal: what an earlier run tried on the same memberships.
    ///   - began: when this run began.
    ///   - note: told the journal after each trial.
    public func run(
        _ journal: TuningJournal, began: ContinuousClock.Instant, note: (TuningJournal) throws -> Void
    ) throws -> Outcome {
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
        let settings = search.best { (settings, sample) throws(TuningSearch.TimeIsUp) in
            let trial = Trial(settings: settings, isOnAll: sample == .all)
            if let value = known[trial] { return value }
            let part = sample == .all ? 1 : Self.partForFew
            let elapsed = before + began.duration(to: .now) / .seconds(1)
            let needed = longest + Double(judgingFoldCount(longestTrial: longest)) * judgingSeconds(longest)
            guard failure == nil, elapsed + needed < budgetSeconds * part else { throw TuningSearch.TimeIsUp() }
            let start = ContinuousClock.now
            let found = scorer.accuracies(settings, of: sample == .all ? all : few)
            let value = Self.mean(found.map(\.value))
            longest = max(longest, start.duration(to: .now) / .seconds(1))
            known[trial] = value
            var difference: [Double]?
            if sample == .all {
                let others = usualValues ?? scorer.accuracies(usual, of: all).map(\.value)
                usualValues = others
                difference = Self.difference(found.map(\.value), others, samples: Self.sampleCount / 10)
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
        return try outcome(settings, usual: usual, foldCount: judgingFoldCount(longestTrial: longest))
    }

    /// How many folds judge, so that they take a small part of the budget.
    private func judgingFoldCount(longestTrial seconds: Double) -> Int {
        let affordable = Self.partForJudges * budgetSeconds / max(judgingSeconds(seconds), .leastNormalMagnitude)
        return max(1, min(community.judgingFoldCount, Int(min(affordable, 1000))))
    }

    /// What it takes to judge on a fold: the usual settings and the chosen ones.
    private func judgingSeconds(_ longestTrial: Double) -> Double {
        2 * longestTrial / Double(community.choosing.count)
    }

    private struct Trial: Hashable {
        let settings: TunedSettings
        let isOnAll: Bool
    }

    /// Settings with what other relations count chosen, about as the evidence of a recompute does it.
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

    private func outcome(_ settings: TunedSettings, usual: TunedSettings, foldCount: Int) throws -> Outcome {
        let members = Array(0..<community.memberCounts.judging)
        // Each a mean over the folds.
        var found = [[MemberAccuracy]](repeating: members.map { _ in MemberAccuracy() }, count: 2)
        for number in 0..<foldCount {
            let scorer = TuningScorer(community, [try community.judging(number)], threads: threads)
            for (index, settings) in [settings, usual].enumerated() {
                for (member, accuracy) in scorer.accuracies(settings, of: members).enumerated() {
                    found[index][member].add(accuracy, part: 1 / Double(foldCount))
                }
            }
        }
        return Outcome(
            settings: settings, usualRecall: Self.mean(found[1].map(\.recall)),
            recall: Self.mean(found[0].map(\.recall)),
            difference: Self.difference(found[0].map(\.value), found[1].map(\.value), samples: Self.sampleCount),
            memberCount: members.count)
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(1, values.count)) }

    /// The 95% interval of the difference of two means over the same members: its lower and its upper bound.
    private static func difference(_ one: [Double], _ other: [Double], samples: Int) -> [Double] {
        let interval = Bootstrap([one, other], samples: samples).interval(of: 0, minus: 1)
        return [interval.lowerBound, interval.upperBound]
    }

    /// Σ d² beyond which a matrix should be thinned out, so that a few dozen searches fit into a budget.
    public static func pairLimit(budgetSeconds: Double, threads: Int) -> Double {
        budgetSeconds * Double(threads) * 1e6
    }
}

extension TunedSettings {
    /// Settings that were best on one public set or another.
    fileprivate static var knownParts: [Part] {
        func part(
            _ a: Double, _ p: Double, _ q: Double, _ h: Double, _ r: Double, _ g: Double, _ cut: ListCut, _ limit: Int,
            ridge: Double = 0
        ) -> Part {
            Part(
                formula: ModifiedCosine(
                    degreeDiscount: a, sourceExponent: p, neighbourExponent: q, shrinkage: h, scorePower: r, cut: cut,
                    listPower: g, ridgeShare: ridge), limit: limit)
        }
        return [
            part(0.7, 0.6, 0.25, 4.5, 0.85, 0.5, .target, 100, ridge: 0.5),
            part(0.5, 0.55, 0.2, 2, 1.5, 0.8, .target, 100, ridge: 0.5),
            part(0.5, 0.65, 0.31, 4.5, 0.9, 0.5, .target, 100),
            part(0.5, 0.55, 0.2, 0, 1.9, 0.8, .target, 500),
            part(0.5, 0.55, 0.2, 2, 1.5, 0.8, .target, 100),
            part(1, 0.65, 0.4, 4.5, 0.8, 0, .source, 100),
            part(1, 0.5, 0.4, 1, 1, 0, .source, 100),
            part(1.2, 0.4, 0.4, 0, 0.7, 0, .source, 500),
            part(0, 0.5, 0, 4.5, 1, 0, .source, 500),
        ]
    }

    /// The same with no greater limits than one.
    fileprivate func limited(to limit: Int) -> TunedSettings {
        var settings = self
        for relation in relations { settings[relation]?.limit = min(limit, self[relation]?.limit ?? limit) }
        return settings
    }
}
