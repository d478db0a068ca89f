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
            _ = try call.decide(isHidden ? .hide : .unhide, aboutGroup: call.id, fields)
            call.note("\(isHidden ? "hid" : "showed again") the group \(call.id)")
            return "/admin/groups/\(HTML.segment(call.id))"
        },
    ]
}

extension Call {
    /// Logs what an operator did or looked at.
    ///
    /// - Parameter member: the id of the member whom it was about, if any.
    func note(_ action: String, member: String? = nil) {
        let name = member.map { " " + (responder.settings.logsMembers ? $0 : PathDigests.digest(of: $0)) } ?? ""
        responder.pages.log.info("pages: \(operatorName) \(action)\(name)")
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
                "\(row.group.rank)", .group(row.group.groupId, title: row.group.title), .decimals(row.trend.score, 1),
                "\(row.trend.joiners)", "\(row.trend.posters)", .decimals(row.trend.usualWeek, 1),
            ]
        }
        return Page(
            "Groups", in: .groups,
            """
            \(HTML.table(
                "Trending groups", ["#Rank", "Group", "#Unusual by", "#Joined", "#Posted", "#Usual week"], trending))
            \(try GroupTable(call).html())
            """)
    }

    /// Shows a group: its facts, its neighbours in each relation, and what can be decided about it.
    @Sendable
    fileprivate static func groupPage(_ call: Call) throws(Problem) -> Page {
        let (snapshot, groups) = (try call.snapshot, try OperatorGroups(call))
        let noted = decisions(call, about: .group, call.id)
        let gone = OperatorGroup(id: call.id, title: "", index: nil, concealment: .removed)
        guard let group = try groups.group(call.id) ?? (noted.text.isEmpty ? nil : gone) else {
            throw .unknownGroup(call.id, in: snapshot.model)
        }
        let content: HTML = """
            \(group.reason.map { "<p class=\"bad\">\($0.withCapital).</p>" as HTML })
            \(group.index.map { facts(of: $0, snapshot.relations, in: groups.all) })
            \(decisions(call, group, groups.state))
            \(try call.strips(ofGroups: [call.id], limit: 12, isSmall: false))
            \(group.index.map { group.isShown ? neighbourhood(of: UInt32($0), call, snapshot) : "" })
            \(group.index.map { season(of: $0, in: groups.all) })
            \(noted)
            """
        return Page(Formats.name(call.id, group.title), in: .groups, subtitle: "<bdi>\(call.id)</bdi>", content)
    }

    private static func facts(of index: Int, _ relations: RelationTable, in model: VisibleModel) -> HTML {
        var facts = relations.tabled(in: model).map { relation -> (name: String, value: HTML) in
            (
                relation.plural.withCapital,
                "\(model.size(of: index, in: relation.relation).grouped)"
            )
        }
        facts.append(("One joins it", "\(model.joinPolicy(of: index).rawValue)"))
        let topics = model.topics(of: index).map { topic -> HTML in "<li><bdi>\(topic)</bdi></li>" }
        if !topics.isEmpty { facts.append(("Topics", "<ul class=\"words\">\(topics)</ul>")) }
        let talk = model.talk(of: index)
        if talk.recentPosts > 0 {
            facts.append(("Posts a week", .decimals(talk.postsPerWeek, 1)))
            facts.append(("Answers a post", .decimals(talk.answersPerPost, 1)))
        }
        if let reach = model.reach(of: index) {
            facts.append(("Joins in four weeks", "\(reach.joins.grouped)"))
            if let share = reach.openedShare {
                facts.append(("Offered to", "\(reach.offered.grouped) members"))
                facts.append(("Opened by", "\(HTML.percent(share, digits: 0)) of them"))
            }
        }
        if let time = model.lastActiveAt(of: index) { facts.append(("Last active", .day(time * 1000))) }
        return .facts(facts)
    }

    /// Returns the buttons to hide, show or curate a group; none for a group that only the catalog can show again.
    private static func decisions(_ call: Call, _ group: OperatorGroup, _ state: SiteState) -> HTML {
        let isShown = group.concealment == nil
        guard isShown || group.concealment == .hidden, (try? call.community(with: .siteDecisions)) != nil
        else { return "" }
        let hide = call.forms.form(
            .curate, "/admin/groups/\(HTML.segment(call.id))/hidden",
            isShown
                ? .fields([("hidden", "yes")], "Hide from everybody")
                : .fields([("hidden", "no")], "Show again", isPlain: false),
            done: isShown
                ? "The group is hidden."
                : "The group is shown again\(group.index == nil ? " from the next version on" : "").",
            undo: [("hidden", isShown ? "no" : "yes")], seen: state.seen(.hide, ofGroup: call.id))
        let curate = call.forms.form(
            .curate, "/admin/curation", .fields([("group", call.id)], "Curate for newcomers"),
            seen: state.seen(.uncurate, ofGroup: call.id))
        return "<div class=\"actions\">\(hide)\(if: isShown, curate)</div>"
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
        guard !rows.isEmpty else {
            return "<p class=\"nothing\">None: it has too few members or photos in common with any other group.</p>"
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
