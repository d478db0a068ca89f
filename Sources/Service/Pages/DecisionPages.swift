import Answers
import ModelStore

extension Endpoint {
    static let decisionsPage = Endpoint(
        page: "decisions-page", "/admin/decisions",
        parameters: [Parameter("after", .text(1...Parameter.identifierLimit), "Begin after this decision")],
        handler: Responder.decisionsPage)
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
