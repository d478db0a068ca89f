package import Basics
package import CatalogStore
import Changes
package import Experiments
import Model

/// The actions of an experiment's members, read from the catalog.
package struct ExperimentOutcomes: Sendable {
    /// The outcomes of all members who were shown lists of one arm; all are in the first if lists are interleaved.
    package private(set) var members: [MemberOutcome] = []
    /// The lists that members of an interleaved experiment prefer, by their clicks and by their joins.
    package private(set) var votes = (clicks: InterleavingVotes(), joins: InterleavingVotes())
    /// The facts about the experiment's health.
    package private(set) var facts = HealthFacts()
    /// The time that the experiment has taken.
    package let course: ExperimentCourse

    /// The number of days before the experiment whose actions are taken out of the comparison.
    package static let daysBefore: Int64 = 28

    /// Reads the outcomes of an experiment.
    ///
    /// - Parameters:
    ///   - now: the time up to which everything is known, in Unix milliseconds; later actions are left out.
    ///   - arrival: the rows that had arrived when the report was made first; others are left out.
    ///   - present: the time behind which no list can have been shown, in Unix milliseconds; `now` if it is later.
    package init(
        of entry: ExperimentRegister.Entry, from catalog: Facts, atMilliseconds now: Int64,
        arrival: CatalogArrival = .all, present: Int64 = 0
    ) throws(Failure) {
        let definition = entry.definition
        let all = try Exposures(of: catalog).firstExposures(in: definition.name, arrival: arrival)
        let known = all.filter { $0 < now }
        let course = ExperimentCourse(entry, firstTimes: known, atMilliseconds: now)
        self.course = course
        let arms = definition.isInterleaved ? [AssignedArm.interleaved] : definition.arms.map(\.name)
        let indexes = Dictionary(uniqueKeysWithValues: arms.enumerated().map { ($1, $0) })
        var sources = ListSources(armCount: arms.count, areVersionsOwn: !definition.versions.isEmpty)
        var topics: [String: [String]] = [:]
        var kept = ExperimentOutcomes(course: course)
        let tail = ExperimentCourse.daysKept * ExperimentCourse.dayLength
        try Exposures(of: catalog).forEachMember(
            exposedIn: definition.name, before: course.end,
            interactionsFrom: course.startedAt - Self.daysBefore * ExperimentCourse.dayLength,
            until: min(course.now, course.end + tail), arrival: arrival
        ) { member throws(Failure) in
            let shown = Set(member.exposures.map(\.arm))
            guard shown.count == 1, !shown.contains(ExposureRecord.armOfOtherID) else {
                kept.facts.crossedCount += 1
                return
            }
            guard let arm = member.exposures.first.flatMap({ indexes[$0.arm] }) else { return }
            for interaction in member.interactions where interaction.kind == .join {
                guard topics[interaction.subjectID] == nil else { continue }
                topics[interaction.subjectID] = try catalog.group(withID: interaction.subjectID)?.topics ?? []
            }
            sources.add(member.exposures, arm: arm, course)
            let actions = ListActions(of: member, course)
            if definition.isInterleaved {
                kept.votes.clicks.add(actions.credits(.click))
                kept.votes.joins.add(actions.credits(.join))
            }
            kept.members.append(actions.outcome(arm: arm, topics))
        }
        (members, votes, facts) = (kept.members, kept.votes, kept.facts)
        facts.sources = sources.all
        let (earliest, latest) = (
            course.startedAt - Self.clockTolerance, max(now, present) + Self.clockTolerance
        )
        facts.misplacedCount = all.count { $0 < earliest || $0 > latest }
    }

    /// The difference between the clocks of two daemons that does no harm, in milliseconds.
    private static let clockTolerance: Int64 = 60_000

    private init(course: ExperimentCourse) { self.course = course }
}

/// The sources of an experiment's lists, as its exposures tell them.
private struct ListSources {
    private struct Key: Hashable {
        var version, settings: String?
    }

    private let armCount: Int
    private let areVersionsOwn: Bool
    private var sources: [Key: ListSource] = [:]

    /// Creates sources without lists.
    ///
    /// - Parameter areVersionsOwn: whether arms name versions, so that arms differ in them.
    init(armCount: Int, areVersionsOwn: Bool) {
        self.armCount = armCount
        self.areVersionsOwn = areVersionsOwn
    }

    /// All sources, in the order of their first days.
    var all: [ListSource] {
        sources.values.sorted {
            ($0.firstDay, $0.version ?? "", $0.settings ?? "") < ($1.firstDay, $1.version ?? "", $1.settings ?? "")
        }
    }

    /// Counts a member for each source of the member's lists.
    mutating func add(_ exposures: [ExposureRecord], arm: Int, _ course: ExperimentCourse) {
        var seen: Set<Key> = []
        for exposure in exposures {
            let version = areVersionsOwn ? nil : ExposureRecord.version(ofList: exposure.recommendationID)
            let key = Key(version: version, settings: exposure.settings)
            let day = course.day(exposure.firstAtMilliseconds)
            var source =
                sources[key]
                ?? ListSource(
                    version: key.version, settings: key.settings, firstDay: day,
                    memberCounts: Array(repeating: 0, count: armCount))
            source.firstDay = min(source.firstDay, day)
            if seen.insert(key).inserted { source.memberCounts[arm] += 1 }
            sources[key] = source
        }
    }
}

extension Exposures {
    /// Returns the sums of a measure over the members who did anything with a list in a past span of time.
    ///
    /// - Parameters:
    ///   - measure: a measure that also applies to members outside experiments (`hasBefore`).
    ///   - start: the start of the span in Unix milliseconds, inclusive.
    ///   - end: the end of the span in Unix milliseconds, exclusive.
    package func pastAmounts(of measure: Measure, since start: Int64, before end: Int64) throws(Failure)
        -> SampleSums
    {
        let kind: Interaction.Kind =
            switch measure {
            case .clicks: .click
            case .dismissals: .dismiss
            default: .join
            }
        var sums = SampleSums()
        for count in try countsOfListInteractions(kind, since: start, before: end) { sums.add(Double(count)) }
        return sums
    }
}
