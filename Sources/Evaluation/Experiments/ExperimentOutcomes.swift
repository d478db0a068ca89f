public import CatalogStore
import Changes
public import Experiments
import Model

/// The actions of an experiment's members, read from the catalog.
public struct ExperimentOutcomes: Sendable {
    /// The outcomes of all members who were shown lists of one arm.
    public private(set) var members: [MemberOutcome] = []
    /// The number of members who were shown lists of two arms.
    public private(set) var crossedCount = 0
    /// The lists that members of an interleaved experiment prefer, by their clicks and by their joins.
    public private(set) var votes = (clicks: InterleavingVotes(), joins: InterleavingVotes())
    /// The number of days that have passed, 1 or more.
    public let dayCount: Int

    /// The number of days before the experiment whose actions are taken out of the comparison.
    public static let daysBefore: Int64 = 28
    /// The number of days that a join must last to count as kept.
    public static let daysKept: Int64 = 7

    private let dayLength: Int64 = 86_400_000
    private let startedAt: Int64
    private let end: Int64
    private let armIndexes: [String: Int]

    /// Reads the outcomes of an experiment.
    ///
    /// Days have 24 hours and begin with the start of the experiment.
    ///
    /// - Parameters:
    ///   - entry: the experiment.
    ///   - catalog: the catalog.
    ///   - now: the present in Unix milliseconds; later actions are left out.
    public init(of entry: ExperimentRegister.Entry, from catalog: Catalog, atMilliseconds now: Int64)
        throws(CatalogError)
    {
        let definition = entry.definition
        startedAt = max(entry.startedAtMilliseconds, (definition.startsAt ?? .min / 1000) * 1000)
        let end = min(now, entry.stoppedAtMilliseconds ?? .max, (definition.endsAt ?? .max / 1000) * 1000)
        self.end = end
        dayCount = Int(max(1, (end - startedAt + dayLength - 1) / dayLength))
        armIndexes = Dictionary(uniqueKeysWithValues: definition.arms.enumerated().map { ($1.name, $0) })
        var topics: [String: [String]] = [:]
        var found: [MemberOutcome] = []
        var crossed = 0
        var votes = (clicks: InterleavingVotes(), joins: InterleavingVotes())
        try catalog.forEachMember(
            exposedIn: definition.name, interactionsFrom: startedAt - Self.daysBefore * dayLength, before: end
        ) { member throws(CatalogError) in
            if definition.isInterleaved {
                votes.clicks.add(member.credits(.click))
                votes.joins.add(member.credits(.join))
                return
            }
            guard Set(member.exposures.map(\.arm)).count == 1 else {
                crossed += 1
                return
            }
            for interaction in member.interactions where interaction.kind == .join {
                guard topics[interaction.groupID] == nil else { continue }
                topics[interaction.groupID] = try catalog.group(withID: interaction.groupID)?.topics ?? []
            }
            if let outcome = outcome(of: member, topics) { found.append(outcome) }
        }
        members = found
        crossedCount = crossed
        self.votes = votes
    }

    private func day(_ milliseconds: Int64) -> Int { Int(max(0, milliseconds - startedAt) / dayLength) }

    /// Returns the outcome of a member, or `nil` if the member's arm is not defined.
    ///
    /// - Parameters:
    ///   - member: the member.
    ///   - topics: the topics of the joined groups, by group id.
    private func outcome(of member: ExposedMember, _ topics: [String: [String]]) -> MemberOutcome? {
        guard let first = member.exposures.first, let arm = armIndexes[first.arm] else { return nil }
        var outcome = MemberOutcome(
            arm: arm, firstDay: day(first.firstAtMilliseconds), groupCount: member.groupCount)
        addPages(of: member, to: &outcome)
        let lists = Set(member.exposures.map(\.recommendationID))
        var known: Set<String> = []
        for (index, interaction) in member.interactions.enumerated() {
            guard let list = interaction.recommendationID else { continue }
            guard interaction.atMilliseconds >= first.firstAtMilliseconds else {
                // Before the experiment, any list counts: nobody was in an arm.
                if interaction.atMilliseconds < startedAt, let quantity = interaction.quantity {
                    outcome.before[quantity, default: 0] += 1
                }
                continue
            }
            guard lists.contains(list), let quantity = interaction.quantity else { continue }
            let day = day(interaction.atMilliseconds)
            outcome.events.append(.init(day: day, quantity))
            guard interaction.kind == .join else { continue }
            let new = (topics[interaction.groupID] ?? []).filter { known.insert($0).inserted }
            if !new.isEmpty { outcome.events.append(.init(day: day, .topics, Double(new.count))) }
            let decided = interaction.atMilliseconds + Self.daysKept * dayLength
            let isLeft = member.interactions[index...].contains { later in
                later.kind == .leave && later.groupID == interaction.groupID && later.atMilliseconds < decided
            }
            if decided < end, !isLeft { outcome.events.append(.init(day: self.day(decided), .keptJoins)) }
        }
        return outcome
    }

    private func addPages(of member: ExposedMember, to outcome: inout MemberOutcome) {
        let confirmed = Set(member.interactions.filter { $0.kind == .impression }.compactMap(\.recommendationID))
        var days: Set<Int> = [outcome.firstDay]
        for exposure in member.exposures {
            let times = Double(exposure.times)
            let day = day(exposure.firstAtMilliseconds)
            outcome.events.append(.init(day: day, .pages, times))
            if let microseconds = exposure.microseconds {
                outcome.events.append(.init(day: day, .timedPages, times))
                outcome.events.append(.init(day: day, .milliseconds, Double(microseconds) / 1000))
            }
            if exposure.shownCount == 0 { outcome.events.append(.init(day: day, .emptyPages, times)) }
            if confirmed.contains(exposure.recommendationID) {
                outcome.events.append(.init(day: day, .confirmedPages, times))
            }
            for day in [day, self.day(exposure.lastAtMilliseconds)] where days.insert(day).inserted {
                outcome.events.append(.init(day: day, .returnDays))
            }
        }
    }
}

extension InteractionRecord {
    /// The quantity that the interaction counts as, or `nil` if it is not counted by itself.
    fileprivate var quantity: Quantity? {
        switch kind {
        case .join: .joins
        case .click: .clicks
        case .dismiss: .dismissals
        case .leave, .undismiss, .impression: nil
        }
    }
}

extension ExposedMember {
    /// Returns the numbers of interactions of a kind that are credited to each of two interleaved lists.
    ///
    /// An interaction names a list and a position; the team at that position gets the credit.
    fileprivate func credits(_ kind: Interaction.Kind) -> (first: Int, second: Int) {
        var pages: [String: [(positions: Range<Int>, teams: [Character])]] = [:]
        for exposure in exposures {
            guard let teams = exposure.teams.map({ Array($0) }) else { continue }
            let positions = exposure.firstPosition..<exposure.firstPosition + teams.count
            pages[exposure.recommendationID, default: []].append((positions, teams))
        }
        var credits = (first: 0, second: 0)
        for interaction in interactions where interaction.kind == kind {
            guard let list = interaction.recommendationID, let position = interaction.position,
                let page = pages[list]?.first(where: { $0.positions.contains(position) })
            else { continue }
            switch page.teams[position - page.positions.lowerBound] {
            case "1": credits.first += 1
            case "2": credits.second += 1
            default: continue
            }
        }
        return credits
    }
}

extension Catalog {
    /// Returns the sums of a measure over the members who did anything with a list in a past span of time.
    ///
    /// - Parameters:
    ///   - measure: a measure that also applies to members outside experiments (`hasBefore`).
    ///   - start: the start of the span in Unix milliseconds, inclusive.
    ///   - end: the end of the span in Unix milliseconds, exclusive.
    public func pastAmounts(of measure: Measure, since start: Int64, before end: Int64) throws(CatalogError)
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
