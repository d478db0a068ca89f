/// The arms' sums after each day, each event looked at once.
struct PassingDays {
    /// The sums of each arm, after the days that have passed.
    private(set) var arms: [ArmSums]
    private let outcomes: [MemberOutcome]
    private var totals: [[Double]]
    private var newcomers: [[Int]]
    private var events: [[(member: Int, quantity: Quantity, amount: Double)]]

    init(_ outcomes: [MemberOutcome], armCount: Int, dayCount: Int) {
        self.outcomes = outcomes
        arms = Array(repeating: ArmSums(), count: armCount)
        totals = Array(repeating: Array(repeating: 0, count: Quantity.allCases.count), count: outcomes.count)
        newcomers = Array(repeating: [], count: dayCount)
        events = Array(repeating: [], count: dayCount)
        for (member, outcome) in outcomes.enumerated() where outcome.firstDay < dayCount {
            newcomers[outcome.firstDay].append(member)
            for event in outcome.events where event.day < dayCount {
                // What is known of a day before the member came counts on the day they came.
                events[max(event.day, outcome.firstDay)].append((member, event.quantity, event.amount))
            }
        }
    }

    /// Lets a day pass, each in its turn from 0 on.
    ///
    /// - Returns: how many members came to each arm.
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

extension ArmSums {
    /// Changes what a member has of one quantity.
    fileprivate mutating func replace(
        _ old: [Double], by new: [Double], changed quantity: Quantity, before: [Quantity: Double]
    ) {
        for measure in Measure.allCases where measure.quantity == quantity || measure.denominator == quantity {
            func pair(_ totals: [Double]) -> (Double, Double) {
                (
                    totals[measure.quantity.rawValue],
                    measure.denominator.map { totals[$0.rawValue] } ?? before[measure.quantity] ?? 0
                )
            }
            replace(measure, pair(old), by: pair(new))
        }
    }
}
