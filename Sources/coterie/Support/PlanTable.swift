import Answers
import Model
import Recommendation

/// A member's list as tables.
enum PlanTable {
    /// The list, a line a group.
    static func lines(_ plan: Plan, _ profile: MemberProfile, _ planner: Planner, limit: Int) -> [String] {
        var table = TextTable([
            .init(title: "rank", isNumber: true), .init(title: "group", maximumWidth: 36), .init(title: "title"),
            .init(title: "score", isNumber: true), .init(title: "interest", maximumWidth: 20),
            .init(title: "placed by"), .init(title: "because of", maximumWidth: 72),
        ])
        let names = plan.interests.map { $0.name(in: planner.model) }
        let items = plan.items.prefix(limit)
        for (index, (item, reasons)) in zip(items, planner.reasons(for: items, of: profile)).enumerated() {
            table.add([
                String(index + 1), planner.model.id(of: Int(item.group)), planner.model.title(of: Int(item.group)),
                item.score > 0 ? Formats.fixed(item.score, 4) : "-",
                item.interest.map { names[$0] } ?? "-", item.placement.words,
                ([item.origin.explanation] + because(of: reasons, planner)).compactMap(\.self).joined(separator: ", "),
            ])
        }
        return table.lines
    }

    /// The three groups that contribute most, each once.
    private static func because(of reasons: [Suggestion.Reason], _ planner: Planner) -> [String] {
        var names: [String] = []
        for reason in reasons {
            let name = named(Int(reason.seed), in: planner.model)
            if !names.contains(name) { names.append(name) }
        }
        guard names.count > 3 else { return names }
        return names.prefix(2) + ["\(names[2]) and \(names.count - 3) more"]
    }

    /// What every stage did, a line a stage.
    static func lines(_ stages: [Recommendations.Stage]) -> [String] {
        var table = TextTable([
            .init(title: "stage"), .init(title: "taken", isNumber: true), .init(title: "passed", isNumber: true),
            .init(title: "µs", isNumber: true), .init(title: "note"),
        ])
        for stage in stages {
            table.add([
                stage.report.stage.rawValue, Formats.grouped(stage.report.taken),
                Formats.grouped(stage.report.passed), Formats.fixed(stage.microseconds, 1), stage.report.note,
            ])
        }
        return table.lines
    }
}

extension PlanItem.Origin {
    /// Why a group is in a list, if not because of joined ones.
    fileprivate var explanation: String? {
        switch self {
        case .personal: nil
        case .topic: "a stated interest"
        case .curated: "picked by the site"
        case .trending: "trending"
        case .popular: "popular"
        }
    }
}

extension PlanItem.Placement {
    /// What has given a group its rank, in a word or two.
    fileprivate var words: String {
        switch self {
        case .relevance: "relevance"
        case .interestShare: "interest's share"
        case .variety: "variety"
        case .rotation: "rotation"
        case .seasonal: "season"
        case .curated: "curation"
        case .coldStart: "cold start"
        }
    }
}
