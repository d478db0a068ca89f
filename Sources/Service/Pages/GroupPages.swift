import Answers
import Basics
import Model
import ModelStore
import Recommendation

extension Endpoint {
    private static let group = Parameter("id", .identifier, "The group's id")

    static let groupPages = [
        Endpoint(
            page: "groups-page", "/admin/groups", parameters: GroupTable.parameters, handler: Responder.groupsPage),
        Endpoint(page: "group-page", "/admin/groups/{id}", path: [group], handler: Responder.groupPage),
        Endpoint(form: "group-hidden-form", "/admin/groups/{id}/hidden", .curate, path: [group]) {
            (call, fields) throws(Problem) in
            let isHidden = fields["hidden"] == "yes"
            _ = try call.decide(isHidden ? .hide : .unhide, aboutGroup: call.id)
            call.note("\(isHidden ? "hid" : "showed again") the group \(call.id)")
            return "/admin/groups/\(HTML.segment(call.id))"
        },
    ]
}

extension Call {
    /// Logs what an operator did or looked at.
    func note(_ action: String) { responder.pages.log.info("pages: \(operatorName) \(action)") }

    /// All groups of the version that serves: operators may learn of those that nobody is shown.
    var allGroups: VisibleModel {
        get throws(Problem) { VisibleModel(try loadedSnapshot.model) }
    }
}

extension Responder {
    /// The most neighbours of each relation on a group's page.
    private static let neighbourLimit = 20

    /// Shows trending groups, and a table of all.
    @Sendable
    fileprivate static func groupsPage(_ call: Call) throws(Problem) -> Page {
        let snapshot = try call.snapshot
        let trending = snapshot.trendingGroups(limit: 10).groups.map {
            row -> [HTML] in
            [
                "\(row.group.rank)", .group(row.group.groupId, title: row.group.title), .decimals(row.trend.score),
                "\(row.trend.joiners)", "\(row.trend.posters)", .decimals(row.trend.usualWeek),
            ]
        }
        return Page(
            "Groups", in: .groups,
            """
            \(HTML.table(
                "Trending groups", ["#Rank", "Group", "#Unusual by", "#Joined", "#Posted", "#Usual week"], trending))
            \(try GroupTable(call).html)
            """)
    }

    /// Shows a group: its facts, its neighbours in each relation, and what can be decided about it.
    @Sendable
    fileprivate static func groupPage(_ call: Call) throws(Problem) -> Page {
        let snapshot = try call.snapshot
        let all = try call.allGroups
        guard let index = all.index(ofID: call.id) else { throw .unknownGroup(call.id, in: snapshot.model) }
        let group = UInt32(index)
        let isShown = snapshot.model.shows(group)
        let concealment = try concealment(of: call.id, call, in: snapshot.model)
        let title = all.title(of: index)
        let reason: HTML =
            concealment.map { "<p class=\"bad\">This group is \($0.rawValue): nobody is shown it.</p>" } ?? ""
        let content: HTML = """
            \(reason)
            \(facts(of: index, snapshot.relations, in: all))
            \(decisions(call, concealment))
            \(try call.strips(ofGroups: [call.id], limit: 12, isSmall: false))
            \(isShown ? neighbourhood(of: group, call, snapshot) : "")
            \(season(of: index, in: all))
            \(decisions(call, about: .group, call.id))
            """
        return Page(Formats.name(call.id, title), in: .groups, subtitle: "<bdi>\(call.id)</bdi>", content)
    }

    private static func facts(of index: Int, _ relations: RelationTable, in model: VisibleModel) -> HTML {
        var facts = relations.tabled(in: model).map { relation -> (name: String, value: HTML) in
            (
                relation.plural.withCapital,
                "\(model.size(of: index, in: relation.relation).grouped)"
            )
        }
        facts.append(("One joins it", "\(model.joinPolicy(of: index).name)"))
        let topics = model.topics(of: index).map { topic -> HTML in "<li><bdi>\(topic)</bdi></li>" }
        if !topics.isEmpty { facts.append(("Topics", "<ul class=\"words\">\(topics)</ul>")) }
        let talk = model.talk(of: index)
        if talk.recentPosts > 0 {
            facts.append(("Posts a week", .decimals(talk.postsPerWeek)))
            facts.append(("Answers a post", .decimals(talk.answersPerPost)))
        }
        if let reach = model.reach(of: index) {
            facts.append(("Joins in four weeks", "\(reach.joins.grouped)"))
            if let percent = reach.openedPercent {
                facts.append(("Offered to", "\(reach.offered.grouped) members"))
                facts.append(("Opened by", "\(percent) of them"))
            }
        }
        if let time = model.lastActiveAt(of: index) { facts.append(("Last active", .time(time * 1000))) }
        return .facts(facts)
    }

    /// Returns the reason why a group is not shown: an administrator hid it, or it is private or removed by now.
    static func concealment(of id: String, _ call: Call, in model: VisibleModel) throws(Problem)
        -> Concealment?
    {
        guard let community = call.responder.community else { return nil }
        return try call.reading { () throws(Failure) in try community.concealment(ofGroup: id, in: model) }
    }

    /// Returns the buttons to hide, show or curate a group; none for a group that only the catalog can show again.
    private static func decisions(_ call: Call, _ concealment: Concealment?) -> HTML {
        let isShown = concealment == nil
        guard isShown || concealment == .hidden, (try? call.community(with: .siteDecisions)) != nil else { return "" }
        let path = "/admin/groups/\(HTML.segment(call.id))"
        let hide =
            isShown
            ? call.forms.button(
                .curate, "Hide from everybody", "\(path)/hidden", "hidden", "yes", done: "The group is hidden.",
                undo: [("hidden", "no")])
            : call.forms.button(
                .curate, "Show again", "\(path)/hidden", "hidden", "no", isPlain: false,
                done: "The group is shown again.",
                undo: [("hidden", "yes")])
        let curate: HTML =
            isShown ? call.forms.button(.curate, "Curate for newcomers", "/admin/curation", "group", call.id) : ""
        return "<div class=\"actions\">\(hide)\(curate)</div>"
    }

    private static func neighbourhood(of group: UInt32, _ call: Call, _ snapshot: VisibleSnapshot) -> HTML {
        let figure = NeighbourhoodPicture(of: group, in: snapshot.recommender).map { picture -> HTML in
            """
            <figure>\(picture.svg)<figcaption>Groups that share neighbours lie near each other; larger dots have more \
            members. The table below lists groups with their scores.</figcaption></figure>
            """
        }
        return """
            <h2>Neighbours</h2>
            \(figure)
            \(neighbours(of: group, snapshot))
            """
    }

    /// Shows the neighbours of all relations together in one table, which has a column for each relation.
    private static func neighbours(of group: UInt32, _ snapshot: VisibleSnapshot) -> HTML {
        let relations = snapshot.relations.filter { snapshot.model.relations.contains($0.relation) }
        let blend = snapshot.similarGroups(to: group, by: RelationTable.blendName, limit: neighbourLimit).neighbours
        let lists = relations.map { relation in
            snapshot.similarGroups(to: group, by: relation.name, limit: neighbourLimit).neighbours
        }
        var places: [String: Int] = [:]
        var rows: [[HTML]] = []
        for (column, list) in ([blend] + lists).enumerated() {
            for neighbour in list {
                let id = neighbour.group.groupId
                let place = places[id] ?? rows.count
                if place == rows.count {
                    places[id] = place
                    let empty = [HTML](repeating: "", count: lists.count + 1)
                    rows.append([.group(id, title: neighbour.group.title)] + empty)
                }
                let common = neighbour.common.flatMap { common -> HTML? in
                    column > 0 && common > 0 ? " <small>\(common.grouped)</small>" : nil
                }
                rows[place][column + 1] = "\(HTML.decimals(neighbour.score.value))\(common)"
            }
        }
        return .table(
            "The \(neighbourLimit) best by all relations together, and by each; small numbers are entries in common",
            ["Group", "#All"] + relations.map { "#" + $0.name }, rows)
    }

    private static func season(of index: Int, in model: VisibleModel) -> HTML {
        let percents = (0..<12).map { Int(model.seasonalPercent(of: index, month: $0)) }
        guard Set(percents).count > 1 else { return "" }
        return """
            <h2>Season</h2>
            \(Chart(
                "Activity by month, in percent of the average",
                zip(HTML.months, percents).map { Chart.Point(name: $0, label: $0, value: Double($1)) }).html)
            """
    }
}
