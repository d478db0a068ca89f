import Answers
import Basics
import Changes
import Experiments
import Model
import ModelStore
import Recommendation

extension Endpoint {
    static let memberPages = [memberPage, forgetForm, photoPage]

    private static let forgetForm = Endpoint(
        form: "forget-form", "/admin/members/{id}/forget", .operate, path: [.member]
    ) {
        (call, fields) throws(Problem) in
        guard fields["id"] == call.id else {
            throw .badForm("\"\(fields["id"])\" is not the member's id: type it as the page shows it")
        }
        call.note("forgot the member", member: call.id)
        try call.remove(.member(call.id, withPhotos: fields["photos"] == "remove"))
        return "/admin"
    }

    private static let photoPage = Endpoint(
        page: "photo-page", "/admin/photos/{id}", path: [Parameter("id", .identifier, "The photo's id")],
        handler: Responder.photoPage)

    private static let memberPage = Endpoint(
        page: "member-page", "/admin/members/{id}", .page(.members), path: [.member],
        parameters: [
            Parameter("group", .text(0...Parameter.identifierLimit), "A group: is it in the list, and why"),
            Parameter("before", .text(1...Parameter.identifierLimit), "An interaction: those before it are shown"),
        ],
        handler: Responder.memberPage)
}

extension Responder {
    /// The most groups of the list, and the most interactions, on a member's page.
    private static let rowLimit = 30
    /// The groups of the list that are shown at once.
    private static let firstRows = 10
    /// The most joined groups on a member's page.
    private static let joinedLimit = 200

    /// Shows who a member is, why a group is in the list or not, the list itself, and what the member did.
    @Sendable
    fileprivate static func memberPage(_ call: Call) throws(Problem) -> Page {
        call.note("looked at the member", member: call.id)
        let served = try call.snapshotWithMembers
        let instant = call.responder.now()
        let context = try call.context(ofMember: call.id, at: instant, in: served)
        let plan = try call.plan(for: context)
        let list = context.recommendations(plan, limit: rowLimit)
        return Page(
            call.id,
            subtitle: """
                Private: this page shows what a member does and sees, and the log says who looked. \
                \(context.isKnown ? "" : "Nothing is known of this member: the list is the one for newcomers.")
                """,
            """
            \(list.pause.words.map { words -> HTML in "<p id=\"pause\" class=\"bad\">No groups are shown: \(words).</p>" })
            \(facts(of: context))
            \(try why(call, context))
            <h2>The list, as it would be made now</h2>
            \(try rows(of: list, context.snapshot, call))
            \(interests(list))
            \(joined(context))
            \(trace(of: context))
            <h2>What the member did</h2>
            \(try interactions(call))
            \(decisions(call, about: .member, call.id))
            \(if: call.allows(.operate), forgetting(call))
            """)
    }

    private static func forgetting(_ call: Call) -> HTML {
        """
        <h2>Forget this member</h2>
        <p>All that is known of the member is removed, for good.</p>
        \(call.forms.form(.operate, "/admin/members/\(HTML.segment(call.id))/forget", """
            <div class="line"><label for="forget-id">Type the member's id</label>
            <input id="forget-id" name="id" maxlength="512" required autocomplete="off">
            <label><input type="checkbox" name="photos" value="remove"> and remove the photos</label>
            <button class="plain">Forget</button></div>
            """))
        """
    }

    private static func interests(_ list: Recommendations) -> HTML {
        let rows = list.interests.map { interest -> [HTML] in
            let groups = interest.groupIds.map { id -> HTML in "<li>\(HTML.group(id, title: ""))</li>" }
            return [
                "<bdi>\(interest.name)</bdi>", .percent(interest.share, digits: 0),
                "<ul class=\"words\">\(groups)</ul>",
            ]
        }
        return .table("Interests", ["Interest", "#Share", "Joined groups"], rows)
    }

    private static func facts(of context: MemberContext) -> HTML {
        let profile = context.request.profile
        let joined = profile.joined.filter { context.snapshot.model.shows($0.group) }
        let titles = joined.prefix(firstRows).map { one -> HTML in "<li>\(name(of: one.group, context.snapshot))</li>" }
        var facts: [(name: String, value: HTML)] = [
            (
                "Joined groups",
                joined.isEmpty
                    ? "none"
                    : "\(joined.count.grouped)<ul class=\"words\">\(titles)\(if: joined.count > firstRows, "<li>…</li>")</ul>"
            )
        ]
        if let since = profile.knownSinceMilliseconds { facts.append(("Known since", .day(since))) }
        let dismissed = profile.dismissals.count
        if dismissed > 0 { facts.append(("Not interested in", "\(dismissed.grouped) groups")) }
        facts += context.arms.map { ("Experiment", "<bdi>\($0.experiment)</bdi>: <bdi>\($0.arm)</bdi>") }
        return .facts(facts)
    }

    private static func name(of group: UInt32, _ snapshot: VisibleSnapshot) -> HTML {
        .name(of: snapshot.model.id(of: Int(group)), snapshot.model.title(of: Int(group)))
    }

    private static func joined(_ context: MemberContext) -> HTML {
        let joined = context.request.profile.joined
        guard !joined.isEmpty else { return "" }
        let rows = joined.prefix(joinedLimit).map { one -> [HTML] in
            [name(of: one.group, context.snapshot), one.atMilliseconds.map { HTML.day($0) } ?? "not known"]
        }
        let caption = "Joined groups\(joined.count > joinedLimit ? " (the first \(joinedLimit))" : "")"
        return """
            <details><summary>All joined groups</summary>\(HTML.table(caption, ["Group", "Joined"], rows))</details>
            """
    }

    private static func rows(of list: Recommendations, _ snapshot: VisibleSnapshot, _ call: Call) throws(Problem)
        -> HTML
    {
        let ids = list.recommendations.map(\.group.group.groupId)
        let rows = zip(list.recommendations, try call.strips(ofGroups: ids, limit: 3)).map { row, strip -> [HTML] in
            [
                "\(row.group.group.rank)",
                "\(HTML.group(row.group.group.groupId, title: row.group.group.title))\(strip)",
                .decimals(row.group.score), "<ul class=\"words\">\(reasons(row.reasons, snapshot))</ul>",
                "\(row.origin.explanation ?? "joined groups")", "\(row.placement.words)",
                "<bdi>\(row.interest ?? "–")</bdi>",
            ]
        }
        let columns = ["#Rank", "Group", "#Score", "Because of", "Origin", "Placed by", "Interest"]
        let rest = Array(rows.dropFirst(firstRows))
        return """
            \(HTML.table("The first \(firstRows) groups", columns, Array(rows.prefix(firstRows))))
            \(if: !rest.isEmpty, "<details><summary>\(rest.count) more</summary>\(HTML.table("The groups that follow", columns, rest))</details>")
            """
    }

    /// Returns the reasons in words, the strongest first; each group is named once.
    private static func reasons(_ reasons: [GroupReason], _ snapshot: VisibleSnapshot) -> [HTML] {
        var named: Set<String> = []
        return reasons.filter { named.insert($0.groupId).inserted }.map { reason in
            let what = snapshot.relations.first { $0.relation == reason.relation }?.plural ?? reason.relation.rawValue
            return """
                <li>\(HTML.name(of: reason.groupId, reason.title)), \(reason.common.grouped) \(what) in common</li>
                """
        }
    }

    private static func why(_ call: Call, _ context: MemberContext) throws(Problem) -> HTML {
        let asked = call.parameters.text("group").flatMap { $0.isEmpty ? nil : $0 }
        var answer: HTML = ""
        if let asked {
            let group = context.snapshot.model.index(ofID: asked)
            let unknown = "this version has no group with this id: it is not known, or was left out when it was made"
            let reason =
                if let group { context.explanation(of: UInt32(group)).explanation } else {
                    try OperatorGroups(call).group(asked)?.reason ?? unknown
                }
            let mark: HTML = group == nil ? " class=\"bad\"" : ""
            answer = "<p id=\"why\"\(mark)>\(HTML.group(asked, title: "")): \(reason).</p>"
        }
        return """
            <h2>Why, or why not?</h2>
            <form class="line"><label for="group">Group id</label>
            <input id="group" name="group" maxlength="512" value="\(asked ?? "")" data-complete="id" required>\
            <button>Explain</button></form>
            \(answer)
            """
    }

    /// Shows what each stage did when the list was made, for a member of an interleaved experiment the usual list.
    private static func trace(of context: MemberContext) -> HTML {
        var trace = StageTrace()
        let plan = context.plan { trace.note($0) }
        return """
            <details><summary>How the list was made</summary>
            <p>From \(context.request.profile.joined.count) joined groups and \(plan.candidateCount) candidates.</p>
            \(HTML.table("Stages, in their order", AnswerTable(trace.stages)))
            </details>
            """
    }

    private static func interactions(_ call: Call) throws(Problem) -> HTML {
        let community = try call.community(with: .memberships)
        let before = call.parameters.text("before")
        let records = try call.reading { () throws(Failure) in
            try community.interactions(ofUser: call.id, after: before, latestFirst: true, limit: rowLimit) ?? []
        }
        let older = records.count == rowLimit ? records.last.map { HTML.segment($0.id) } : nil
        let stated = try call.reading { () throws(Failure) in try community.interests(ofUser: call.id) }
        let rows = records.map { record -> [HTML] in
            [
                .day(record.atMilliseconds), "\(record.kind.rawValue)",
                record.groupID.map { HTML.group($0, title: "") } ?? "<bdi>\(record.subjectID)</bdi>",
            ]
        }
        let words = stated.map { interest -> HTML in "<li><bdi>\(interest)</bdi></li>" }
        return """
            \(if: !stated.isEmpty, "<p>Stated interests:</p><ul class=\"words\">\(words)</ul>")
            \(HTML.table(
                before == nil ? "Interactions, the newest first" : "Earlier interactions",
                ["When", "What", "Group, photo or member"], rows))
            \(if: before != nil, "<p><a href=\"?\">The newest</a></p>")
            \(older.map { "<p><a href=\"?before=\($0)\">Older ones</a></p>" as HTML })
            """
    }

    /// Shows the groups that a public photo could go to.
    @Sendable
    fileprivate static func photoPage(_ call: Call) throws(Problem) -> Page {
        // Without vectors of photos, or of this one, only the pools speak.
        let (answer, similar) = try call.answer(from: call.snapshot, with: .photos) { answers throws(AnswerError) in
            let similar = try? answers.similarPhotos(to: call.id, withDuplicates: true, limit: rowLimit)
            let basis: PhotoBasis = similar == nil ? .pools : .both
            return (
                try answers.groups(forPhoto: call.id, by: basis, limit: rowLimit, usesOwner: call.allows(.members)),
                similar
            )
        }
        let ids = answer.groups.map(\.group.group.groupId)
        let rows = zip(answer.groups, try call.strips(ofGroups: ids, limit: 4)).map { row, strip -> [HTML] in
            let reasons = row.reasons.map { reason -> HTML in "<li>\(words(reason))</li>" }
            return [
                "\(row.group.group.rank)",
                "\(HTML.group(row.group.group.groupId, title: row.group.group.title))\(strip)",
                .decimals(row.group.score), "<ul class=\"words\">\(reasons)</ul>",
            ]
        }
        let photos = (similar?.photos ?? []).map { row -> [HTML] in
            [photo(row.photoId), .decimals(row.similarity), row.duplicate ? "a near-duplicate" : ""]
        }
        let wall = call.photos?.wall(
            (similar?.photos ?? []).map { row in
                let note: HTML = row.duplicate ? ", a near-duplicate" : ""
                return .init(id: row.photoId, words: ", similarity \(HTML.decimals(row.similarity))\(note)")
            })
        return Page(
            "Photo \(call.id)",
            """
            \(call.photos.map { $0.large(call.id) })
            \(if: similar != nil, "<h2>Photos that look like it</h2>\(wall)")
            \(if: similar != nil, .table("Their similarity", ["Photo", "#Similarity", "Note"], photos))
            \(HTML.table("Groups that the photo could go to", ["#Rank", "Group", "#Score", "Because of"], rows))
            """)
    }

    private static func photo(_ id: String) -> HTML {
        "<a href=\"/admin/photos/\(HTML.segment(id))\"><bdi>\(id)</bdi></a>"
    }

    /// Says in words what speaks for a group.
    private static func words(_ reason: GroupsForPhoto.Reason) -> HTML {
        switch reason.evidence {
        case .sharedPools(let photos): "\(photos) photos that share its pools"
        case .similarGroup(_, let relation, _):
            "similar to \(HTML.name(of: reason.groupId ?? "", reason.title ?? "")) by \(relation.rawValue)"
        case .tags(let tags): "tags \(tags.joined(separator: ", "))"
        case .place: "photos near its place"
        case .popular(let count): "\(count) entries in all"
        case .looksLike(let photos): "looks like \(photos.map { "\(photo($0)) " as HTML })"
        case .owner(let photos, let isMember):
            """
            \(if: photos > 0, "\(photos) of the owner's photos are there")\(if: photos > 0 && isMember, "; ")\
            \(if: isMember, "the owner is a member")
            """
        }
    }
}
