/// A quantity that is counted for a member on a day.
package enum Quantity: Int, Sendable, CaseIterable, Codable {
    /// Groups joined from a list of the experiment.
    case joins
    /// Groups joined from a list that the member had not left 7 days later, counted on that later day.
    case keptJoins
    /// Groups of a list of the experiment that were clicked.
    case clicks
    /// Groups of a list of the experiment that were dismissed.
    case dismissals
    /// Days after the first on which a list was shown.
    case returnDays
    /// Topics of groups joined from a list, each once a member.
    case topics
    /// Pages of lists that were shown.
    case pages
    /// Shown pages without a group.
    case emptyPages
    /// Pages of a list that the client confirmed to have shown, by an impression.
    case confirmedPages
    /// Pages with a known answer time.
    case timedPages
    /// The sum of these answer times, in milliseconds.
    case milliseconds
    /// Records of shown pages: equal pages of a day have one.
    case exposures
    /// Interactions since the first exposure that name a list.
    case interactions
    /// Such interactions with a list or a group that the member was not shown.
    case unexplained
    /// Such interactions that repeat one of the same kind with the same group.
    case repeats
    /// Such interactions with a list whose times are before the list was shown.
    case misdated
}

/// A measure that a report compares between arms.
package enum Measure: String, Sendable, CaseIterable, Codable {
    /// Joins from lists, per member.
    case joins
    /// Joins that were kept for 7 days, per member.
    case keptJoins = "kept-joins"
    /// Clicks, per member.
    case clicks
    /// Days on which a member returned.
    case returnDays = "return-days"
    /// Different topics of the groups that a member joined.
    case topics
    /// Clicks per page shown.
    case clickRate = "click-rate"
    /// Dismissals, per member.
    case dismissals
    /// The part of the pages that had no group.
    case emptyPages = "empty-pages"
    /// The mean time for making the answer with a page, in milliseconds.
    case answerTime = "answer-time"

    /// The quantity that is counted, the numerator of a ratio.
    var quantity: Quantity {
        switch self {
        case .joins: .joins
        case .keptJoins: .keptJoins
        case .clicks, .clickRate: .clicks
        case .returnDays: .returnDays
        case .topics: .topics
        case .dismissals: .dismissals
        case .emptyPages: .emptyPages
        case .answerTime: .milliseconds
        }
    }

    /// The denominator of a ratio of sums, or `nil` for a mean over members.
    var denominator: Quantity? {
        switch self {
        case .clickRate, .emptyPages: .pages
        case .answerTime: .timedPages
        default: nil
        }
    }

    /// Whether the measure watches for harm: less of it is better, and it must not get worse.
    package var isGuardrail: Bool { [.dismissals, .emptyPages, .answerTime].contains(self) }

    /// The definition, as reports give it.
    package var definition: String {
        switch self {
        case .joins: "groups joined from shown lists, each group once a member; mean a member"
        case .keptJoins: "the same without groups that the member left again within 7 days; known 7 days later"
        case .clicks: "groups clicked in shown lists, each group once a member; mean a member"
        case .returnDays: "days after a member's first on which a list was shown; mean a member"
        case .topics: "different topics of the groups joined from shown lists; mean a member"
        case .clickRate: "clicks ÷ pages shown"
        case .dismissals: "groups dismissed in shown lists, each group once a member; mean a member; must not grow"
        case .emptyPages: "pages without a group ÷ pages shown; must not grow"
        case .answerTime: "milliseconds for making the answers ÷ pages with a known time; must not grow"
        }
    }

    /// Whether members could do it before the experiment as well, so that the weeks before can be taken into account.
    package var hasBefore: Bool { [.joins, .clicks, .dismissals].contains(self) }
}
