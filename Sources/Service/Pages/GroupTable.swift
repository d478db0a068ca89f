import Basics
import Model

/// The table of all groups of the version that serves, in an order and with a filter of the operator's choice.
struct GroupTable {
    /// The orders of the table.
    enum Order: String, CaseIterable {
        case size, title, neighbours, joins, offered, opened, activity
    }

    /// The filters of the table.
    enum Filter: String, CaseIterable {
        case all, small, lonely, unoffered, concealed

        fileprivate var words: String {
            switch self {
            case .all: "all"
            case .small: "fewer than \(GroupTable.smallSize) members"
            case .lonely: "without neighbours"
            case .unoffered: "never offered"
            case .concealed: "hidden or private"
            }
        }
    }

    /// The parameters of a page with the table.
    static let parameters = [
        Parameter("sort", standard: Order.size, "What the groups are sorted by"),
        Parameter("only", standard: Filter.all, "Which groups are shown"),
        Parameter("region", .text(1...7), "The number of the region of the map, or \(beside)"),
        Parameter("page", .integer(1...1_000_000, standard: 1), "The page of the table"),
    ]

    /// The word for the groups beside the map, in place of a region.
    static let beside = "beside"
    /// The rows of a page.
    private static let rowLimit = 50
    /// The number of members below which a group is small.
    private static let smallSize = 10

    private let snapshot: VisibleSnapshot
    private let groups: OperatorGroups
    /// The concealed groups that the version lacks, if they are meant.
    private let others: [OperatorGroup]
    private let version: ModelVersion
    /// The relations whose sizes are shown.
    private let relations: [RelationDescription]
    private let (order, filter, region, page): (Order, Filter, String?, Int)
    /// Whether members told what their lists had.
    private let isOffered: Bool
    /// Whether memberships have times, and none is of the weeks before the version.
    private let isOld: Bool

    init(_ call: Call) throws(Problem) {
        snapshot = try call.snapshot
        version = try call.loadedSnapshot.model
        groups = try OperatorGroups(call)
        relations = snapshot.relations.tabled(in: groups.all)
        order = call.parameters.choice("sort", of: Order.self)
        filter = call.parameters.choice("only", of: Filter.self)
        region = call.parameters.text("region")
        page = call.parameters.integer("page")
        others = region == nil && (filter == .all || filter == .concealed) ? try groups.concealed() : []
        let reach = (0..<groups.all.groupCount).compactMap { [all = groups.all] in all.reach(of: $0) }
        isOffered = reach.contains { $0.offered > 0 }
        isOld = !reach.isEmpty && !reach.contains { $0.joins > 0 }
    }

    private var all: VisibleModel { groups.all }

    func html() throws(Problem) -> HTML {
        let known = sorted((0..<all.groupCount).filter(isMeant))
        let count = known.count + others.count
        let pages = max(1, (count + Self.rowLimit - 1) / Self.rowLimit)
        let page = min(page, pages)
        let places = (0..<count).dropFirst((page - 1) * Self.rowLimit).prefix(Self.rowLimit)
        let rows = try places.map { place throws(Problem) in
            row(place < known.count ? try groups.group(at: known[place]) : others[place - known.count])
        }
        let sizes = relations.map { "#" + $0.plural.withCapital }
        let filters = Filter.allCases.map { choice -> HTML in
            let words: HTML = "<a href=\"\(address(only: choice))\"\(mark(choice == filter))>\(choice.words)</a>"
            return "<li>\(words)</li>"
        }
        let orders = Order.allCases.map { choice -> HTML in
            "<li><a href=\"\(address(sort: choice))\"\(mark(choice == order))>\(choice.rawValue)</a></li>"
        }
        let turns: HTML = """
            \(if: page > 1, "<a href=\"\(address(page: page - 1))\">Before</a> ")\
            \(if: page < pages, "<a href=\"\(address(page: page + 1))\">After</a>")
            """
        return """
            <h2>All groups</h2>
            <ul class="words" aria-label="Show"><li class="soft">Show</li>\(filters)</ul>
            <ul class="words" aria-label="Sort by"><li class="soft">Sort by</li>\(orders)</ul>
            \(HTML.table(
                "\(count.grouped) \(count == 1 ? "group" : "groups"), page \(page.grouped) of \(pages.grouped)",
                ["Group"] + sizes + ["#Joins", "#Offered to", "#Opened by", "#Neighbours", "Last active", "State"],
                rows))
            <p>Joins, offers and openings are those of the four weeks before the version.\(if: isOld, """
             No membership is from these weeks: the data that were imported last end before them.
            """)\(if: !isOffered, """
             No client told what its lists showed, so nothing is known of offers.
            """)</p>
            <p>\(turns)</p>
            """
    }

    private func isMeant(_ group: Int) -> Bool {
        if let region, region != all.place(of: group).map({ String($0.region) }) ?? Self.beside { return false }
        return switch filter {
        case .all: true
        case .small: members(of: group) < Double(Self.smallSize)
        case .lonely: neighbours(of: group) == 0
        case .unoffered: isOffered && all.reach(of: group)?.offered == 0
        case .concealed: !snapshot.model.shows(UInt32(group))
        }
    }

    private func sorted(_ groups: [Int]) -> [Int] {
        switch order {
        case .title:
            let titles = Dictionary(uniqueKeysWithValues: groups.map { ($0, all.title(of: $0).lowercased()) })
            return groups.sorted { (titles[$0] ?? "", $0) < (titles[$1] ?? "", $1) }
        case .size: return descending(groups) { members(of: $0) }
        case .neighbours: return descending(groups) { Double(neighbours(of: $0)) }
        case .joins: return descending(groups) { Double(all.reach(of: $0)?.joins ?? 0) }
        case .offered: return descending(groups) { Double(all.reach(of: $0)?.offered ?? 0) }
        case .opened: return descending(groups) { all.reach(of: $0)?.openedShare ?? 0 }
        case .activity: return descending(groups) { Double(all.lastActiveAt(of: $0) ?? 0) }
        }
    }

    /// Returns groups by a value, the greatest first, and by their index where it is the same.
    private func descending(_ groups: [Int], _ value: (Int) -> Double) -> [Int] {
        groups.map { (value($0), $0) }.sorted { $0.0 != $1.0 ? $0.0 > $1.0 : $0.1 < $1.1 }.map(\.1)
    }

    private func members(of group: Int) -> Double { Double(snapshot.relations.membersOf(UInt32(group), in: all)) }

    /// Returns the number of neighbours in the relation that has the most.
    private func neighbours(of group: Int) -> Int {
        version.relations.map { version.neighbours(of: group, by: $0).count }.max() ?? 0
    }

    private func row(_ one: OperatorGroup) -> [HTML] {
        let name = HTML.group(one.id, title: one.title)
        guard let group = one.index else {
            return [name] + Array(repeating: "", count: relations.count + 5) + [one.state]
        }
        let sizes = relations.map { relation -> HTML in "\(all.size(of: group, in: relation.relation).grouped)" }
        let reach = all.reach(of: group)
        return [name] + sizes + [
            reach.map { "\($0.joins.grouped)" } ?? "",
            isOffered ? reach.map { "\($0.offered.grouped)" } ?? "" : "",
            isOffered ? reach?.openedShare.map { .percent($0, digits: 0) } ?? "" : "",
            "\(neighbours(of: group))", all.lastActiveAt(of: group).map { .day($0 * 1000) } ?? "", one.state,
        ]
    }

    /// Returns the address of the table with another order, filter or page; a new choice begins with the first page.
    private func address(sort: Order? = nil, only: Filter? = nil, page: Int = 1) -> String {
        "?sort=\((sort ?? order).rawValue)&only=\((only ?? filter).rawValue)&page=\(page)"
            + (region.map { "&region=\(HTML.segment($0))" } ?? "")
    }

    private func mark(_ isCurrent: Bool) -> HTML { isCurrent ? " aria-current=\"true\"" : "" }
}
