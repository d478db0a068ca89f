/// The actions of a member of an experiment, day by day.
package struct MemberOutcome: Sendable, Equatable {
    /// An amount of a quantity on a day.
    package struct Event: Sendable, Equatable {
        /// The day, 0 for the first of the experiment.
        package var day: Int
        package var quantity: Quantity
        package var amount: Double

        package init(day: Int, _ quantity: Quantity, _ amount: Double = 1) {
            self.day = day
            self.quantity = quantity
            self.amount = amount
        }
    }

    package var memberID: String
    package var arm: Int
    /// The day on which the member was first shown a list, 0 for the first of the experiment.
    package var firstDay: Int
    /// The number of groups that the member was in on that day.
    package var groupCount: Int
    /// The events since then, in no particular order.
    package var events: [Event]
    /// The totals of the weeks before the experiment.
    package var before: [Quantity: Double]

    package init(
        _ memberID: String = "", arm: Int, firstDay: Int, groupCount: Int, events: [Event] = [],
        before: [Quantity: Double] = [:]
    ) {
        self.memberID = memberID
        self.arm = arm
        self.firstDay = firstDay
        self.groupCount = groupCount
        self.events = events
        self.before = before
    }
}

/// The sums of all measures over the members of an arm, as the days pass.
struct ArmSums: Sendable {
    /// The sums of each measure: of a mean, with those of the weeks before; of a ratio, numerator and denominator.
    private(set) var sums: [Measure: PairedSums] = [:]
    /// The number of members.
    private(set) var count = 0
    private let caps: AmountCaps

    init(_ caps: AmountCaps) {
        self.caps = caps
        for measure in Measure.allCases { sums[measure] = PairedSums() }
    }

    /// Adds a member.
    ///
    /// - Parameters:
    ///   - totals: the member's total of each quantity so far.
    ///   - before: the totals of the weeks before.
    mutating func add(_ totals: [Double], before: [Quantity: Double]) {
        count += 1
        for measure in Measure.allCases {
            let pair = caps.pair(measure, totals, before)
            sums[measure]?.add(pair.0, pair.1)
        }
    }

    /// Changes a member's amount of one quantity.
    mutating func replace(
        _ old: [Double], by new: [Double], changed quantity: Quantity, before: [Quantity: Double]
    ) {
        for measure in Measure.allCases where measure.quantity == quantity || measure.denominator == quantity {
            sums[measure]?.replace(caps.pair(measure, old, before), by: caps.pair(measure, new, before))
        }
    }

    func mean(_ measure: Measure) -> ArmMean {
        let sums = sums[measure] ?? PairedSums()
        return measure.denominator == nil ? ArmMean(sums.measure) : ArmMean(ratioOf: sums)
    }
}

extension Effect {
    /// Creates the difference of two arms in a measure, or `nil` if it cannot be computed yet.
    ///
    /// If members did the same before the experiment, the part that the weeks before explain is taken out.
    init?(_ measure: Measure, _ first: ArmSums, _ second: ArmSums, isRelative: Bool) {
        guard Self.isAdjusted(measure, first, second), let control = first.sums[measure],
            let other = second.sums[measure]
        else {
            let means = (first.mean(measure), second.mean(measure))
            if isRelative { self.init(relative: means.0, means.1) } else { self.init(absolute: means.0, means.1) }
            return
        }
        if isRelative {
            self.init(adjustedRelative: control, other)
        } else {
            self.init(adjustedAbsolute: control, other)
        }
    }

    /// Whether the weeks before are taken out of the difference of two arms: members did the same thing then.
    static func isAdjusted(_ measure: Measure, _ first: ArmSums, _ second: ArmSums) -> Bool {
        guard measure.hasBefore, let control = first.sums[measure], let other = second.sums[measure] else {
            return false
        }
        return (control + other).companion.variance > 0
    }
}

/// The arms' sums after each day; each event is read once.
struct PassingDays {
    /// The sums of each arm, after the days that have passed.
    private(set) var arms: [ArmSums]
    /// The totals of each member, by the number of the quantity.
    private(set) var totals: [[Double]]
    private let outcomes: [MemberOutcome]
    private var newcomers: [[Int]]
    private var events: [[(member: Int, quantity: Quantity, amount: Double)]]

    init(_ outcomes: [MemberOutcome], armCount: Int, dayCount: Int, _ caps: AmountCaps) {
        self.outcomes = outcomes
        arms = Array(repeating: ArmSums(caps), count: armCount)
        totals = Array(repeating: Array(repeating: 0, count: Quantity.allCases.count), count: outcomes.count)
        newcomers = Array(repeating: [], count: dayCount)
        events = Array(repeating: [], count: dayCount)
        for (member, outcome) in outcomes.enumerated() where outcome.firstDay < dayCount {
            newcomers[outcome.firstDay].append(member)
            for event in outcome.events where event.day < dayCount {
                // Events of a day before the member came count on the day of coming.
                events[max(event.day, outcome.firstDay)].append((member, event.quantity, event.amount))
            }
        }
    }

    /// Lets a day pass; the days pass in order, from 0 on.
    ///
    /// - Returns: the number of members who came to each arm.
    mutating func pass(_ day: Int) -> [Int] {
        var counts = [Int](repeating: 0, count: arms.count)
        for member in newcomers[day] {
            counts[outcomes[member].arm] += 1
            arms[outcomes[member].arm].add(totals[member], before: outcomes[member].before)
        }
        for event in events[day] {
            let outcome = outcomes[event.member]
            let total = totals[event.member]
            totals[event.member][event.quantity.rawValue] += event.amount
            arms[outcome.arm].replace(total, by: totals[event.member], changed: event.quantity, before: outcome.before)
        }
        return counts
    }
}
