import Answers
import Changes
import Experiments
import HTTP
import Model
import ModelStore

extension Endpoint {
    static let curationPages = [
        Endpoint(page: "curation-page", "/admin/curation", handler: Responder.curationPage),
        Endpoint(form: "curation-form", "/admin/curation") { (call, fields) throws(Problem) in
            let group = fields["group"]
            let place = Int(fields["position"]).flatMap { $0 > 0 ? $0 : nil }
            let action: SiteChange.Action =
                fields["remove"] == "yes" ? .uncurate : .curate(position: place, startsAt: nil, expiresAt: nil)
            switch try call.decide(action, aboutGroup: group) {
            case .privateGroup: throw .privateGroup(group)
            default: break
            }
            call.note("\(fields["remove"] == "yes" ? "ended the curation of" : "curated") the group \(group)")
            return "/admin/curation"
        },
    ]

    static let experimentsPage = Endpoint(
        page: "experiments-page", "/admin/experiments", handler: Responder.experimentsPage)
}

extension Responder {
    /// Shows the curated groups in their order, and takes changes of it.
    @Sendable
    fileprivate static func curationPage(_ call: Call) throws(Problem) -> Page {
        let community = try call.community(with: .siteDecisions)
        let snapshot = try call.snapshot
        let curations = try call.orUnavailable { () throws(ServiceError) in try community.curations() }
        let groups = CuratedGroups(curations, atSeconds: call.responder.now() / 1000).groups
        let rows = groups.map { row -> [HTML] in
            let title = snapshot.model.index(ofID: row.groupId).map { snapshot.model.title(of: $0) } ?? ""
            return [
                "\(row.position)", .group(row.groupId, title: title),
                row.startsAtMilliseconds.map { .time($0) } ?? "–", row.expiresAtMilliseconds.map { .time($0) } ?? "–",
                row.isValid ? "<span class=\"good\">shown</span>" : "not shown",
                """
                <div class="actions">\(move(row, by: -1, "Up", of: groups.count, call))\
                \(move(row, by: 1, "Down", of: groups.count, call))\
                \(call.forms.form("/admin/curation", fields(row.groupId, "remove", "yes", "Remove")))</div>
                """,
            ]
        }
        return Page(
            "Curation", in: .curation, subtitle: "Newcomers are shown these groups first, in this order.",
            """
            \(HTML.table("Curated groups", ["#Position", "Group", "From", "Until", "State", "Change"], rows))
            \(call.forms.form("/admin/curation", """
                <div class="line"><label for="group">Add a group by its id</label>
                <input id="group" name="group" maxlength="512" required><button>Add</button></div>
                """))
            """)
    }

    private static func move(_ row: CuratedGroups.Row, by step: Int, _ label: String, of count: Int, _ call: Call)
        -> HTML
    {
        let place = row.position + step
        guard (1...count).contains(place) else { return "" }
        return call.forms.form("/admin/curation", fields(row.groupId, "position", String(place), label))
    }

    private static func fields(_ group: String, _ name: String, _ value: String, _ label: String) -> HTML {
        """
        <input type="hidden" name="group" value="\(group)"><input type="hidden" name="\(name)" value="\(value)">\
        <button class="plain">\(label)<span class="unseen"> \(group)</span></button>
        """
    }

    /// Shows the started experiments with their arms.
    @Sendable
    fileprivate static func experimentsPage(_ call: Call) throws(Problem) -> Page {
        let text = try call.orStoreProblem { () throws(StoreError) in try call.responder.follower.store.experiments() }
        let entries = text.flatMap { ExperimentRegister(encoded: $0) }?.entries ?? []
        let rows = entries.reversed().map { entry -> [HTML] in
            [
                "<bdi>\(entry.definition.name)</bdi>",
                "\(entry.definition.arms.map(\.name).joined(separator: ", "))",
                .time(entry.startedAtMilliseconds),
                entry.stoppedAtMilliseconds.map { "stopped \(HTML.time($0))" } ?? "<span class=\"good\">runs</span>",
            ]
        }
        return Page(
            "Experiments", in: .experiments,
            subtitle: "<code>coterie experiment report NAME</code> shows what an experiment has found so far.",
            .table("Experiments of the store", ["Experiment", "Arms", "Started", "State"], rows))
    }
}
