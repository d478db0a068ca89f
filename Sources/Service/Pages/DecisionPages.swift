import Answers
import Basics
import HTTP
import Model
import ModelStore

extension Endpoint {
    static let decisionsPage = Endpoint(
        page: "decisions-page", "/admin/decisions",
        parameters: [Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this decision")],
        handler: Responder.decisionsPage)
}

extension SiteState {
    /// Returns what a form with an action about a group is drawn from.
    func seen(_ action: SiteChange.Action, ofGroup id: String) -> String {
        let words = words(action, ofGroup: id)
        // A group may have been shown and hidden again meanwhile.
        return words == "hidden" ? "\(words) \(hidden[BytewiseString(id)] ?? 0)" : words
    }
}

extension Call {
    /// Applies the decision of a form, unless the form says what it was drawn from, and that is no longer so.
    ///
    /// - Throws: a `Problem` of status 409 with what is so now, and with who changed it if the list of decisions tells.
    func decide(_ action: SiteChange.Action, aboutGroup group: String, _ fields: FormFields) throws(Problem)
        -> SiteChange.Outcome
    {
        let community = try community(with: .siteDecisions)
        let state = try orUnavailable { () throws(Failure) in try community.siteState() }
        guard fields.has("seen"), fields["seen"] != state.seen(action, ofGroup: group) else {
            return try decide(action, aboutGroup: group)
        }
        let (now, isHiding) = (state.words(action, ofGroup: group), action == .hide || action == .unhide)
        let actions: [NotedDecision.Action] = isHiding ? [.hide, .unhide] : [.curate, .uncurate]
        let last = (try? decisions(about: .group, group, limit: 20))?.first { actions.contains($0.action) }
        var reason = "this has changed since the page was drawn"
        if let last, last.after == now, let time = UnixTime(seconds: last.atMilliseconds / 1000)?.description {
            reason = "\(last.by) changed this at \(time.dropFirst(11).prefix(5)) on \(time.prefix(10))"
        }
        throw Problem(status: .conflict, title: "Nothing was changed", detail: "\(reason): the group is \(now) now")
    }
}

extension Responder {
    /// Shows what operators decided, the newest first.
    @Sendable
    fileprivate static func decisionsPage(_ call: Call) throws(Problem) -> Page {
        let list = try ListedDecisions(call, limit: 100)
        return Page(
            "Decisions", in: .decisions,
            subtitle: "What operators decided within a year. A member is a digest of the id, as in the ledger.",
            """
            \(table("The newest first", list.decisions))
            \(list.next.map { "<p><a href=\"?after=\($0)\">Older ones</a></p>" as HTML })
            """)
    }

    /// Returns the last decisions about a thing; nothing if there are none, or the store cannot be reached.
    static func decisions(_ call: Call, about thing: NotedDecision.Thing, _ id: String) -> HTML {
        let found = (try? call.decisions(about: thing, id, limit: 20)) ?? []
        return found.isEmpty ? "" : table("The last decisions", found)
    }

    private static func table(_ caption: String, _ decisions: [NotedDecision]) -> HTML {
        .table(caption, AnswerTable(decisions)) { row, column, text in
            let thing = decisions[row].thing
            switch column {
            case "time": return .day(decisions[row].atMilliseconds)
            case "name" where thing != .member:
                return "<a href=\"/admin/\(thing.rawValue)s/\(HTML.segment(text))\"><bdi>\(text)</bdi></a>"
            default: return nil
            }
        }
    }
}
