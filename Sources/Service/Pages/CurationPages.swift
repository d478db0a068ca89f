import Answers
import Changes
import Basics
import Model
import ModelStore
import Recommendation

extension Endpoint {
    static let curationPages = [
        Endpoint(page: "curation-page", "/admin/curation", handler: Responder.curationPage),
        Endpoint(form: "curation-form", "/admin/curation", .curate) { (call, fields) throws(Problem) in
            let group = fields["group"]
            switch try call.decide(try call.curation(fields), aboutGroup: group, fields) {
            case .privateGroup: throw .privateGroup(group)
            case .expiresBeforeStart: throw .badForm("the end is not after the start")
            default: break
            }
            call.note("\(fields["remove"] == "yes" ? "ended the curation of" : "curated") the group \(group)")
            return "/admin/curation"
        },
    ]
}

extension Call {
    /// Returns the decision of a form: to remove a group, to move it, or to set its dates.
    ///
    /// A curated group keeps what the form does not give.
    fileprivate func curation(_ fields: FormFields) throws(Problem) -> SiteChange.Action {
        guard fields["remove"] != "yes" else { return .uncurate }
        let community = try community(with: .siteDecisions)
        let known = try orUnavailable { () throws(Failure) in try community.siteState().curations }
            .first { $0.groupID.utf8.elementsEqual(fields["group"].utf8) }
        let place = Int(fields["position"]).flatMap { $0 > 0 ? $0 : nil } ?? known?.position
        guard fields.has("from") || fields.has("until") else {
            return .curate(position: place, startsAt: known?.startsAt, expiresAt: known?.expiresAt)
        }
        return .curate(
            position: place, startsAt: try fields.seconds("from"), expiresAt: try fields.seconds("until"))
    }
}

extension FormFields {
    /// Returns the time in a field in Unix seconds, or nil if the field is empty.
    ///
    /// - Throws: a `Problem` of status 400 if the field has something else.
    fileprivate func seconds(_ name: String) throws(Problem) -> Int64? {
        let text = self[name]
        guard !text.isEmpty else { return nil }
        // Browsers leave out seconds that are zero, and the zone.
        guard let time = UnixTime(text + (text.utf8.count == 16 ? ":00Z" : "Z")) else {
            throw .badForm("\"\(text)\" is no time: give one such as 2026-12-01T18:00")
        }
        return time.seconds
    }
}

extension Responder {
    /// The most groups in the preview of a newcomer's list.
    private static let previewLimit = 12

    /// Shows the curated groups in their order, takes changes of it, and shows what newcomers get.
    @Sendable
    fileprivate static func curationPage(_ call: Call) throws(Problem) -> Page {
        _ = try call.community(with: .siteDecisions)
        let (snapshot, known, now) = (try call.snapshot, try OperatorGroups(call), call.responder.now() / 1000)
        let curated = known.state.curations
        let rows = try curated.map { row throws(Problem) -> [HTML] in
            let title = try known.group(row.groupID)?.title ?? ""
            let isOver = row.expiresAt.map { $0 <= now } ?? false
            return [
                "\(row.position)", .group(row.groupID, title: title), dates(row, call),
                row.isValid(at: now)
                    ? "<span class=\"good\">shown</span>"
                    : isOver ? "<span data-note>over already, so nobody sees it</span>" : "not shown",
                buttons(row, of: curated.count, call),
            ]
        }
        return Page(
            "Curation", in: .curation,
            subtitle: "Newcomers are shown these groups first, in this order. Drag a row, or use its buttons.",
            """
            <div\(if: call.allows(.curate), " data-order=\"/admin/curation\"")>
            \(HTML.table(
                "Curated groups", ["#Position", "Group", "Dates (UTC)", "State", "Change"], rows,
                marks: curated.map(\.groupID)))
            </div>
            \(call.forms.form(.curate, "/admin/curation", """
                <div class="line"><label for="group">Add a group by its id</label>
                <input id="group" name="group" maxlength="512" required><button>Add</button></div>
                """, done: "Added."))
            \(preview(call, snapshot))
            """)
    }

    /// Shows the list of a member of whom nothing is known.
    private static func preview(_ call: Call, _ snapshot: VisibleSnapshot) -> HTML {
        let request = PlanRequest(profile: MemberProfile(userID: ""), atMilliseconds: call.responder.now())
        let items = snapshot.planner.plan(request).items.prefix(previewLimit)
        let lines = items.map { item -> HTML in
            let (id, title) = (snapshot.model.id(of: Int(item.group)), snapshot.model.title(of: Int(item.group)))
            return "<li>\(HTML.name(of: id, title)) <small>\(item.origin.explanation ?? "")</small></li>"
        }
        return """
            <h2>A newcomer's list now</h2>
            \(if: lines.isEmpty, "<p class=\"nothing\">It is empty.</p>")\
            \(if: !lines.isEmpty, "<ol class=\"preview\">\(lines)</ol>")
            """
    }

    private static func dates(_ row: Curation, _ call: Call) -> HTML {
        let (from, until) = (local(row.startsAt), local(row.expiresAt))
        let bounds = [("from", from), ("until", until)].filter { !$1.isEmpty }.map { "\($0) \($1)" }
        let words: HTML = bounds.isEmpty ? "always" : "\(bounds.joined(separator: " "))"
        guard call.allows(.curate) else { return words }
        return """
            <details><summary>\(words)<span class="unseen">: dates of \(row.groupID)</span></summary>\
            \(call.forms.form(.curate, "/admin/curation", """
                <input type="hidden" name="group" value="\(row.groupID)">\
                <label>From <input type="datetime-local" step="1" name="from" value="\(from)"></label>\
                <label>Until <input type="datetime-local" step="1" name="until" value="\(until)"></label>\
                <button class="plain">Set the dates<span class="unseen"> of \(row.groupID)</span></button>
                """, done: "Dates are set.", undo: [("group", row.groupID), ("from", from), ("until", until)],
                seen: Curation.words(row)))</details>
            """
    }

    /// Returns a time in Unix seconds as a browser's field for local times has it; empty for nil.
    private static func local(_ seconds: Int64?) -> String {
        String(seconds.flatMap(UnixTime.init)?.description.prefix { $0 != "Z" } ?? "")
    }

    /// Returns the buttons that move a curated group or remove it.
    private static func buttons(_ row: Curation, of count: Int, _ call: Call) -> HTML {
        let (id, place) = (("group", row.groupID), ("position", "\(row.position)"))
        let dates = [("from", local(row.startsAt)), ("until", local(row.expiresAt))]
        func button(_ label: String, _ field: (String, String), _ done: String, _ undo: [(String, String)]) -> HTML {
            call.forms.form(
                .curate, "/admin/curation", .fields([id, field], label, of: row.groupID), done: done,
                undo: [id, place] + undo, seen: Curation.words(row))
        }
        func move(_ label: String, by step: Int) -> HTML {
            button(label, ("position", "\(row.position + step)"), "Moved.", [])
        }
        return """
            <div class="actions">\(if: row.position > 1, move("Up", by: -1))\
            \(if: row.position < count, move("Down", by: 1))\
            \(button("Remove", ("remove", "yes"), "Removed.", dates + [("seen", Curation.words(nil))]))</div>
            """
    }
}
