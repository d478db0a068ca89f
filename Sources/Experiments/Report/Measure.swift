/// What is counted of a member, on a day.
public enum Quantity: Int, Sendable, CaseIterable, Codable {
    /// Groups joined from a list of the experiment.
    case joins
    /// Of these, those that the member had not left 7 days later; counted on the day when that is known.
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
    /// Of these, those without a group.
    case emptyPages
    /// Pages whose list the client confirmed to have shown, by an impression.
    case confirmedPages
    /// Pages of which it is known how long making the answer took.
    case timedPages
    /// How long that took, in milliseconds.
    case milliseconds
}

/// What a report compares.
public enum Measure: String, Sendable, CaseIterable, Codable {
    /// Joins from lists a member.
    case joins
    /// Joins that were kept for 7 days, a member.
    case keptJoins = "kept-joins"
    /// Clicks a member.
    case clicks
    /// Days a member returned on.
    case returnDays = "return-days"
    /// Different topics of what a member joined.
    case topics
    /// Clicks a page that was shown.
    case clickRate = "click-rate"
    /// Dismissals a member.
    case dismissals
    /// The part of the pages that had no group.
    case emptyPages = "empty-pages"
    /// Milliseconds that making the answer with a page took.
    case answerTime = "answer-time"

    /// What is counted.
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

    /// What it is divided by, if it is a ratio of sums; nil if it is a mean over members.
    var denominator: Quantity? {
        switch self {
        case .clickRate, .emptyPages: .pages
        case .answerTime: .timedPages
        default: nil
        }
    }

    /// Whether it must not get worse, rather than get better: then less of it is better.
    public var isGuardrail: Bool { [.dismissals, .emptyPages, .answerTime].contains(self) }

    /// Whether members did it before the experiment as well, so that the weeks before can be taken out.
    public var hasBefore: Bool { [.joins, .clicks, .dismissals].contains(self) }
}
