import Answers
import Changes
import Basics
import Model
import Recommendation

extension Endpoint {
    static let curationPages = [
        Endpoint(page: "curation-page", "/admin/curation", handler: Responder.curationPage),
        Endpoint(form: "curation-form", "/admin/curation", .curate) { (call, fields) throws(Problem) in
            let group = fields["group"]
            switch try call.decide(try call.curation(fields), aboutGroup: group) {
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
        let community = try call.community(with: .siteDecisions)
        let snapshot = try call.snapshot
        let curations = try call.orUnavailable { () throws(Failure) in try community.siteState().curations }
        let groups = CuratedGroups(curations, atSeconds: call.responder.now() / 1000).groups
        let known = try OperatorGroups(call)
        let rows = try groups.map { row throws(Problem) -> [HTML] in
            let title = try known.group(row.groupId)?.title ?? ""
            return [
                "\(row.position)", .group(row.groupId, title: title), dates(row, call),
                row.isValid ? "<span class=\"good\">shown</span>" : "not shown",
                """
                <div class="actions">\(move(row, by: -1, "Up", of: groups.count, call))\
                \(move(row, by: 1, "Down", of: groups.count, call))\(remove(row, call))</div>
                """,
            ]
        }
        return Page(
            "Curation", in: .curation,
            subtitle: "Newcomers are shown these groups first, in this order. Drag a row, or use its buttons.",
            """
            <div\(if: call.allows(.curate), " data-order=\"/admin/curation\"")>
            \(HTML.table(
                "Curated groups", ["#Position", "Group", "Dates (UTC)", "State", "Change"], rows,
                marks: groups.map(\.groupId)))
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

    private static func dates(_ row: CuratedGroups.Row, _ call: Call) -> HTML {
        let (from, until) = (local(row.startsAtMilliseconds), local(row.expiresAtMilliseconds))
        let words: HTML =
            from.isEmpty && until.isEmpty
            ? "always" : "\(from.isEmpty ? "" : "from \(from) ")\(until.isEmpty ? "" : "until \(until)")"
        guard call.allows(.curate) else { return words }
        return """
            <details><summary>\(words)<span class="unseen">: dates of \(row.groupId)</span></summary>\
            \(call.forms.form(.curate, "/admin/curation", """
                <input type="hidden" name="group" value="\(row.groupId)">\
                <label>From <input type="datetime-local" step="1" name="from" value="\(from)"></label>\
                <label>Until <input type="datetime-local" step="1" name="until" value="\(until)"></label>\
                <button class="plain">Set the dates<span class="unseen"> of \(row.groupId)</span></button>
                """, done: "Dates are set.", undo: place(row)))</details>
            """
    }

    /// Returns a time as a browser's field for local times has it; empty for nil.
    private static func local(_ milliseconds: Int64?) -> String {
        guard let milliseconds, let time = UnixTime(seconds: milliseconds / 1000) else { return "" }
        return String(time.description.prefix { $0 != "Z" })
    }

    private static func move(_ row: CuratedGroups.Row, by step: Int, _ label: String, of count: Int, _ call: Call)
        -> HTML
    {
        let place = row.position + step
        guard (1...count).contains(place) else { return "" }
        return call.forms.form(
            .curate, "/admin/curation",
            .fields([("group", row.groupId), ("position", "\(place)")], label, of: row.groupId),
            done: "Moved.", undo: self.place(row))
    }

    private static func remove(_ row: CuratedGroups.Row, _ call: Call) -> HTML {
        call.forms.form(
            .curate, "/admin/curation",
            .fields([("group", row.groupId), ("remove", "yes")], "Remove", of: row.groupId),
            done: "Removed.", undo: place(row))
    }

    /// Returns the fields that bring a group back to where it is now.
    private static func place(_ row: CuratedGroups.Row) -> [(String, String)] {
        [
            ("group", row.groupId), ("position", String(row.position)), ("from", local(row.startsAtMilliseconds)),
            ("until", local(row.expiresAtMilliseconds)),
        ]
    }
}
