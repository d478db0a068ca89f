import Answers
import Basics
import Changes
import HTTP
import Model
import Recommendation

extension Endpoint {
    static let memberPages = [memberPage, forgetForm, photoPage]

    private static let forgetForm = Endpoint(form: "forget-form", "/admin/members/{id}/forget", path: [.member]) {
        (call, fields) throws(Problem) in
        guard fields["id"] == call.id else {
            throw .badForm("\"\(fields["id"])\" is not the member's id: type it as the page shows it")
        }
        call.note("forgot the member \(call.id)")
        try call.remove(.member(call.id, withPhotos: fields["photos"] == "remove"))
        return "/admin"
    }

    private static let photoPage = Endpoint(
        page: "photo-page", "/admin/photos/{id}", path: [Parameter("id", .identifier, "The photo's id")],
        handler: Responder.photoPage)

    private static let memberPage = Endpoint(
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
        let context = try call.context(ofMember: call.id, at: instant, in: served)
        let plan = try call.assignedPlan(for: context).plan
        let list = context.recommendations(plan, limit: rowLimit)
        return Page(
            call.id,
            subtitle: """
                Private: this page shows what a member does and sees, and the log says who looked. \
                \(context.isKnown ? "" : "Nothing is known of this member: the list is the one for newcomers.")
                """,
            """
            \(list.pause.words.map { words -> HTML in "<p id=\"pause\" class=\"bad\">No groups are shown: \(words).</p>" })
            \(interests(list))
            \(rows(of: list))
            \(try why(call, context))
            \(trace(of: context))
            <h2>What the member did</h2>
            \(try interactions(call))
            <h2>Forget this member</h2>
            <p>All that is known of the member is removed, for good.</p>
            \(call.forms.form("/admin/members/\(HTML.segment(call.id))/forget", """
                <div class="line"><label for="forget-id">Type the member's id</label>
                <input id="forget-id" name="id" maxlength="512" required autocomplete="off">
                <label><input type="checkbox" name="photos" value="remove"> and remove the photos</label>
                <button class="plain">Forget</button></div>
                """))
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
            let reasons = row.reasons.map { reason -> HTML in "<li>\(HTML.name(of: reason.groupId, reason.title))</li>"
            }
            return [
                "\(row.group.group.rank)", .group(row.group.group.groupId, title: row.group.group.title),
                .decimals(row.group.score), "\(row.origin.explanation ?? "joined groups")", "\(row.placement.words)",
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

    /// Shows what each stage did when the list was made, for a member of an interleaved experiment the usual list.
    private static func trace(of context: MemberContext) -> HTML {
        var trace = StageTrace()
        let plan = context.plan { trace.note($0) }
        let rows = trace.stages.map { stage -> [HTML] in
            [
                "\(stage.report.stage.rawValue)", "\(stage.report.taken)", "\(stage.report.passed)",
                "\(Int(stage.microseconds.rounded()))", "\(stage.report.note)",
            ]
        }
        return """
            <h2>How the list was made</h2>
            <p>From \(context.request.profile.joined.count) joined groups and \(plan.candidateCount) candidates.</p>
            \(HTML.table("Stages, in their order", ["Stage", "#Taken", "#Passed on", "#µs", "Note"], rows))
            """
    }

    private static func interactions(_ call: Call) throws(Problem) -> HTML {
        let community = try call.community(with: .memberships)
        let records = try call.reading { () throws(Failure) in
            try community.interactions(ofUser: call.id, after: nil, latestFirst: true, limit: rowLimit) ?? []
        }
        let stated = try call.reading { () throws(Failure) in try community.interests(ofUser: call.id) }
        let rows = records.map { record -> [HTML] in
            [
                .time(record.atMilliseconds), "\(record.kind.rawValue)",
                record.groupID.map { HTML.group($0, title: "") } ?? "<bdi>\(record.subjectID)</bdi>",
            ]
        }
        let words = stated.map { interest -> HTML in "<li><bdi>\(interest)</bdi></li>" }
        return """
            \(if: !stated.isEmpty, "<p>Stated interests:</p><ul class=\"words\">\(words)</ul>")
            \(HTML.table("Latest interactions (up to \(rowLimit)), the newest first", ["When", "What", "Group, photo or member"], rows))
            """
    }

    /// Shows the groups that a public photo could go to.
    @Sendable
    fileprivate static func photoPage(_ call: Call) throws(Problem) -> Page {
        // Without vectors of photos, or of this one, only the pools speak.
        let (answer, similar) = try call.answer(from: call.snapshot, with: .photos) { answers throws(AnswerError) in
            let similar = try? answers.similarPhotos(to: call.id, withDuplicates: true, limit: rowLimit)
            let basis: PhotoBasis = similar == nil ? .pools : .both
            return (try answers.groups(forPhoto: call.id, by: basis, limit: rowLimit), similar)
        }
        let rows = answer.groups.map { row -> [HTML] in
            let reasons = row.reasons.map { reason -> HTML in "<li>\(words(reason))</li>" }
            return [
                "\(row.group.group.rank)", .group(row.group.group.groupId, title: row.group.group.title),
                .decimals(row.group.score), "<ul class=\"words\">\(reasons)</ul>",
            ]
        }
        let photos = (similar?.photos ?? []).map { row -> [HTML] in
            [photo(row.photoId), .decimals(row.similarity), row.duplicate ? "a near-duplicate" : ""]
        }
        return Page(
            "Photo \(call.id)",
            """
            \(HTML.table("Groups that the photo could go to", ["#Rank", "Group", "#Score", "Because of"], rows))
            \(if: similar != nil, .table("Photos that look like it", ["Photo", "#Similarity", "Note"], photos))
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
