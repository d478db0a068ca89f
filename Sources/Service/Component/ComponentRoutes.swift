import HTTP
import Model
import Recommendation

extension Endpoint {
    /// Endpoints for "Groups for you" on a site's pages, and for apps.
    static let components = [
        Endpoint(
            "component", .get, "/components/coterie-groups.js", .open,
            summary: "The web component that shows a member's list on a site's pages",
            content: .text(type: scriptType), caching: .shared
        ) { _ in .content(scriptType, script) },
        Endpoint(
            "changes", .get, "/v1/users/{id}/changes", .member(ofPathParameter: "id", orServiceWith: .lists),
            summary: "The changes of a member's list, joins and dismissals since a state; all of them without a state",
            path: [.member],
            parameters: [
                Parameter("since", .text(1...ViewState.lengthLimit), "The newState of an earlier answer"),
                .session, .seen, listed,
                Parameter(
                    "maxChanges", .integer(1...1000, standard: 500), "How many changes since a state, at most"),
            ] + Parameter.filters,
            caching: .never, problems: [.notFound, .gone, .notImplemented, .serviceUnavailable],
            handler: Responder.changes),
    ]

    static let componentTexts = texts.map { language, name, content in
        Endpoint(
            "component-\(language)", .get, "/components/coterie-groups.\(language).js", .open,
            summary: "The texts of the web component in \(name)", content: .text(type: scriptType), caching: .shared
        ) { _ in .content(scriptType, content) }
    }

    /// The texts of the web component in each language but English, which its module has.
    private static let texts: [(language: String, name: String, content: [UInt8])] = [
        ("ar", "Arabic", PackageResources.coterie_groups_ar_js),
        ("de", "German", PackageResources.coterie_groups_de_js),
        ("es", "Spanish", PackageResources.coterie_groups_es_js),
        ("fr", "French", PackageResources.coterie_groups_fr_js),
        ("ja", "Japanese", PackageResources.coterie_groups_ja_js),
        ("pt", "Portuguese", PackageResources.coterie_groups_pt_js),
    ]

    /// The module without comments and indentation, which are a fifth of what would be sent.
    private static let script: [UInt8] = {
        let lines = PackageResources.coterie_groups_js.split(separator: UInt8(ascii: "\n"))
            .map { $0.drop { $0 == UInt8(ascii: " ") } }
            .filter { line in !["//", "/**", "*"].contains { line.starts(with: $0.utf8) } }
        return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    }()
    private static let scriptType = "text/javascript; charset=utf-8"
    private static let listed = Parameter(
        "limit", .integer(1...200, standard: 50), "How many groups of the list count, at most")
}

extension Responder {
    /// Answers `GET /v1/users/{id}/changes?since=STATE`.
    @Sendable
    fileprivate static func changes(_ call: Call) throws(Problem) -> MemberChanges {
        let instant = call.responder.now()
        let shown = try call.sessionList(at: instant)
        let order = shown.items.prefix(call.parameters.limit).map { shown.id(of: $0.group) }
        let profile = shown.context.request.profile
        let view = MemberView(
            recommended: order, joined: profile.joined.map { shown.id(of: $0.group) },
            dismissed: profile.dismissals.map { shown.id(of: $0.group) })
        let changes = try changes(to: view, call)
        return MemberChanges(
            userId: call.id, oldState: call.parameters.text("since"), newState: ViewState(changes.view).text,
            hasMoreChanges: changes.hasMore, created: changes.created, updated: changes.updated,
            destroyed: changes.destroyed,
            groups: (changes.created + changes.updated).compactMap { id in
                view.state(of: id).map { MemberChanges.Row(groupId: id, state: $0) }
            }, order: order, atMilliseconds: instant, pause: shown.context.pause)
    }

    private static func changes(to view: MemberView, _ call: Call) throws(Problem) -> ViewChanges {
        // The whole view comes at once: it may have too many groups for a state in between.
        guard let since = call.parameters.text("since") else {
            return ViewChanges(from: MemberView(), to: view, limit: .max)
        }
        let now = ViewState(view)
        if since == now.text { return ViewChanges(from: view, to: view, limit: 0) }
        guard case .whole(let old)? = ViewState(since) else { throw .cannotCalculateChanges() }
        let changes = ViewChanges(from: old, to: view, limit: call.parameters.integer("maxChanges"))
        if changes.hasMore, case .checksum = ViewState(changes.view) { throw .cannotCalculateChanges() }
        return changes
    }
}

extension Problem {
    /// The changes since a state cannot be calculated (`cannotCalculateChanges`, RFC 8620, section 5.2).
    fileprivate static func cannotCalculateChanges() -> Problem {
        Problem(
            status: .gone, kind: .cannotCalculateChanges, title: "Cannot calculate changes",
            detail: """
                the changes since this state cannot be calculated, as with a state of another program or one of too \
                many groups: drop what is kept, and ask without "since"
                """)
    }
}
