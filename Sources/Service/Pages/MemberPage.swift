import Answers
import Changes
import HTTP
import Model
import Recommendation

extension Endpoint {
    static let memberPage = Endpoint(
        page: "member-page", "/admin/members/{id}", path: [.member],
        parameters: [Parameter("group", .text(1...Parameter.identifierLimit), "A group: is it in the list, and why")],
        handler: Responder.memberPage)
}

extension Responder {
    /// The most groups of the list, and the most interactions, on a member's page.
    private static let rowLimit = 30

    /// Shows a member's list as it would be made now, its interests and reasons, and what the member did.
    @Sendable
    fileprivate static func memberPage(_ call: Call) throws(Problem) -> Page {
        call.note("looked at the member \(call.id)")
        let served = try call.snapshotWithMembers
        let instant = call.responder.now()
        let context = try call.context(ofMember: call.id, at: instant, { _ in .none }, [], in: served)
        let plan = try call.assignedPlan(for: context, { _ in .none }).plan
        let list = context.recommendations(plan, limit: rowLimit)
        return Page(
            call.id,
            subtitle: """
                Private: this page shows what a member does and sees, and the log says who looked. \
                \(context.isKnown ? "" : "Nothing is known of this member: the list is the one for newcomers.")
                """,
            """
            \(interests(list))
            \(rows(of: list))
            \(try why(call, context))
            <h2>What the member did</h2>
            \(try interactions(call))
            """)
    }

    private static func interests(_ list: Recommendations) -> HTML {
        let rows = list.interests.map { interest -> [HTML] in
            let groups = interest.groupIds.map { id -> HTML in "<li>\(HTML.group(id, title: ""))</li>" }
            return ["<bdi>\(interest.name)</bdi>", .decimals(interest.share), "<ul class=\"words\">\(groups)</ul>"]
        }
        return .table("Interests", ["Interest", "#Share", "Joined groups"], rows)
    }

    private static func rows(of list: Recommendations) -> HTML {
        let rows = list.recommendations.map { row -> [HTML] in
            let reasons = row.reasons.map { reason -> HTML in
                "<li>\(HTML.group(reason.groupId, title: reason.title))</li>"
            }
            return [
                "\(row.group.group.rank)", .group(row.group.group.groupId, title: row.group.group.title),
                .decimals(row.group.score), "\(row.origin.rawValue)", "\(row.placement.rawValue)",
                "<bdi>\(row.interest ?? "–")</bdi>", "<ul class=\"words\">\(reasons)</ul>",
            ]
        }
        return .table(
            "The list, as it would be made now",
            ["#Rank", "Group", "#Score", "Origin", "Placed by", "Interest", "Because of"], rows)
    }

    private static func why(_ call: Call, _ context: MemberContext) throws(Problem) -> HTML {
        let asked = call.parameters.text("group")
        var answer: HTML = ""
        if let asked {
            if let index = context.snapshot.model.index(ofID: asked) {
                let explanation = context.explanation(of: UInt32(index))
                answer = "<p id=\"why\"><bdi>\(asked)</bdi>: \(explanation.explanation).</p>"
            } else {
                answer = "<p id=\"why\" class=\"bad\">No group with the id <bdi>\(asked)</bdi> is shown.</p>"
            }
        }
        return """
            <h2>Why, or why not?</h2>
            <form class="line"><label for="group">Group id</label>
            <input id="group" name="group" maxlength="512" value="\(asked ?? "")" required><button>Explain</button></form>
            \(answer)
            """
    }

    private static func interactions(_ call: Call) throws(Problem) -> HTML {
        let community = try call.community(with: .memberships)
        let records = try call.reading { () throws(ServiceError) in
            try community.interactions(ofUser: call.id, after: nil, limit: rowLimit)
        }
        let stated = try call.reading { () throws(ServiceError) in try community.interests(ofUser: call.id) }
        let rows = (records ?? []).map { record -> [HTML] in
            [
                .time(record.atMilliseconds), "\(record.kind.rawValue)",
                .group(record.groupID, title: ""),
            ]
        }
        let words = stated.map { interest -> HTML in "<li><bdi>\(interest)</bdi></li>" }
        return """
            \(stated.isEmpty ? "" : "<p>Stated interests:</p><ul class=\"words\">\(words)</ul>")
            \(HTML.table("Interactions since the last recompute (the first \(rowLimit))", ["When", "What", "Group"], rows))
            """
    }
}
