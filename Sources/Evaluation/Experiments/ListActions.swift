import CatalogStore
import Changes
import Experiments
import Model

/// A member's actions with the lists of an experiment.
///
/// An interaction belongs to a list if it names the list, and the list had its group. A group counts once for each kind
/// of interaction, however often a client sends it.
struct ListActions {
    private struct Explained {
        let record: InteractionRecord
        /// The time; the first showing of the list if a client's clock says an earlier one.
        let atMilliseconds: Int64
        let exposures: [ExposureRecord]
    }

    private struct Kind: Hashable {
        let kind: Interaction.Kind
        let groupID: String
    }

    /// A client's clock may be so much behind the daemon's, in milliseconds.
    private static let clockTolerance: Int64 = 60_000

    private let member: ExposedMember
    private let course: ExperimentCourse
    private let firstAt: Int64
    /// The first explained interaction of each kind with each group, in the order of their times.
    private var counted: [Explained] = []
    /// All explained joins, in the order of their times.
    private var joins: [Explained] = []
    private var events: [MemberOutcome.Event] = []
    private var before: [Quantity: Double] = [:]

    /// Sorts out the actions of a member.
    init(of member: ExposedMember, _ course: ExperimentCourse) {
        self.member = member
        self.course = course
        firstAt = member.exposures.first?.firstAtMilliseconds ?? course.startedAt
        let lists = Dictionary(grouping: member.exposures, by: \.recommendationID)
        var known: Set<Kind> = []
        var earlier: Set<Kind> = []
        for record in member.interactions where record.atMilliseconds < course.end {
            guard let id = record.recommendationID, let quantity = record.quantity else { continue }
            let kind = Kind(kind: record.kind, groupID: record.subjectID)
            guard let exposures = lists[id] else {
                if record.atMilliseconds >= firstAt {
                    note(.interactions, record.atMilliseconds)
                    note(.unexplained, record.atMilliseconds)
                } else if record.atMilliseconds < course.startedAt, earlier.insert(kind).inserted {
                    // Before the experiment, any list counts: nobody was in an arm.
                    before[quantity, default: 0] += 1
                }
                continue
            }
            let shownAt = exposures.map(\.firstAtMilliseconds).min() ?? firstAt
            let instant = max(record.atMilliseconds, shownAt)
            note(.interactions, instant)
            if record.atMilliseconds < shownAt - Self.clockTolerance { note(.misdated, instant) }
            guard exposures.contains(where: { $0.explains(record) }) else {
                note(.unexplained, instant)
                continue
            }
            let explained = Explained(record: record, atMilliseconds: instant, exposures: exposures)
            if record.kind == .join { joins.append(explained) }
            guard known.insert(kind).inserted else {
                note(.repeats, instant)
                continue
            }
            counted.append(explained)
        }
    }

    private mutating func note(_ quantity: Quantity, _ instant: Int64) {
        events.append(.init(day: course.day(instant), quantity))
    }

    /// Returns the outcome of the member.
    ///
    /// - Parameters:
    ///   - arm: the index of the member's arm.
    ///   - topics: the topics of the joined groups, by group id.
    func outcome(arm: Int, _ topics: [String: [String]]) -> MemberOutcome {
        var outcome = MemberOutcome(
            member.id, arm: arm, firstDay: course.day(firstAt), groupCount: member.groupCount, events: events,
            before: before)
        addPages(to: &outcome)
        var known: Set<String> = []
        for action in counted {
            guard let quantity = action.record.quantity else { continue }
            let day = course.day(action.atMilliseconds)
            outcome.events.append(.init(day: day, quantity))
            guard action.record.kind == .join else { continue }
            let new = (topics[action.record.subjectID] ?? []).filter { known.insert($0).inserted }
            if !new.isEmpty { outcome.events.append(.init(day: day, .topics, Double(new.count))) }
        }
        outcome.events += keptJoins
        return outcome
    }

    /// The joins that lasted, each group once; one that is decided behind the end counts on the last day.
    private var keptJoins: [MemberOutcome.Event] {
        var known: Set<String> = []
        return joins.compactMap { join in
            let decided = join.atMilliseconds + ExperimentCourse.daysKept * ExperimentCourse.dayLength
            let isLeft = member.interactions.contains { later in
                later.kind == .leave && later.subjectID == join.record.subjectID
                    && later.atMilliseconds >= join.record.atMilliseconds && later.atMilliseconds < decided
            }
            guard decided < course.now, !isLeft, known.insert(join.record.subjectID).inserted else { return nil }
            return .init(day: course.day(decided), .keptJoins)
        }
    }

    private func addPages(to outcome: inout MemberOutcome) {
        let confirmed = Set(member.interactions.filter { $0.kind == .impression }.compactMap(\.recommendationID))
        var days: Set<Int> = [outcome.firstDay]
        for exposure in member.exposures {
            let times = Double(exposure.times)
            let day = course.day(exposure.firstAtMilliseconds)
            outcome.events.append(.init(day: day, .exposures))
            outcome.events.append(.init(day: day, .pages, times))
            if let microseconds = exposure.microseconds {
                outcome.events.append(.init(day: day, .timedPages, times))
                outcome.events.append(.init(day: day, .milliseconds, Double(microseconds) / 1000))
            }
            if exposure.shownCount == 0 { outcome.events.append(.init(day: day, .emptyPages, times)) }
            if confirmed.contains(exposure.recommendationID) {
                outcome.events.append(.init(day: day, .confirmedPages, times))
            }
            for day in [day, course.day(exposure.lastAtMilliseconds)] where days.insert(day).inserted {
                outcome.events.append(.init(day: day, .returnDays))
            }
        }
    }

    /// Returns the numbers of groups with an interaction of a kind that are credited to each of two interleaved lists.
    func credits(_ kind: Interaction.Kind) -> (first: Int, second: Int) {
        var credits = (first: 0, second: 0)
        for action in counted where action.record.kind == kind {
            switch action.exposures.lazy.compactMap({ $0.team(creditedWith: action.record) }).first {
            case "1": credits.first += 1
            case "2": credits.second += 1
            default: continue
            }
        }
        return credits
    }
}

extension ExposureRecord {
    /// Whether the page had the group of an interaction, at a position of the page.
    fileprivate func explains(_ interaction: InteractionRecord) -> Bool {
        let isInside = interaction.position.map { (firstPosition..<firstPosition + shownCount).contains($0) } ?? true
        return isInside && showed(interaction.subjectID)
    }

    /// Returns the list that is credited with an interaction: by its group, or by its position on pages without marks.
    fileprivate func team(creditedWith interaction: InteractionRecord) -> Character? {
        guard shown == nil else { return team(of: interaction.subjectID) }
        guard let teams = teams.map({ Array($0) }), let position = interaction.position,
            teams.indices.contains(position - firstPosition)
        else { return nil }
        return teams[position - firstPosition]
    }
}

extension InteractionRecord {
    /// The quantity that the interaction adds to, or `nil` for one that is not measured.
    fileprivate var quantity: Quantity? {
        switch kind {
        case .join: .joins
        case .click: .clicks
        case .dismiss: .dismissals
        default: nil
        }
    }
}
