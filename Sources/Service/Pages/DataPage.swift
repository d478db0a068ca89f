import Answers
import Basics
import CatalogStore
import HTTP

extension Endpoint {
    // Counting a large catalog takes minutes, for which answers to members on the thread for batches must not wait.
    static let dataPage = Endpoint(page: "data-page", "/admin/data", handler: Responder.dataPage)
}

/// The content of a catalog, and the doubts about it, as `coterie stats` counts them.
struct CatalogCount: Sendable {
    let statistics: CatalogStatistics
    let doubts: [CatalogDoubt]
    let atMilliseconds: Int64
}

/// A kind of data in a catalog.
private struct DataKind: Answer {
    let name: String
    let rows: Int
    /// The time of the newest entry in Unix milliseconds; nil if entries have none.
    var newest: Int64?
    /// The age of the newest entry, and the time since the last import.
    var age, imported: String?
    /// The rows that the last import rejected.
    var rejected: String?
    /// The things to do, in sentences.
    var advice: [String] = []

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("name", \.name, "The kind", column: .text("kind"))
        fields.always("rows", \.rows, "How many there are", column: .count("rows"))
        fields.sometimes("newest", \.newest, "The time of the newest", column: .time("newest entry"))
        fields.sometimes("age", \.age, "How old that is", column: .text("age"))
        fields.sometimes("imported", \.imported, "How long ago the last import was", column: .text("imported"))
        fields.sometimes(
            "rejected", \.rejected, "What the last import rejected", column: .text("rejected the last time"))
        fields.always("advice", \.advice, "What to do", column: Column("what to do") { $0.joined(separator: "; ") })
    }
}

extension DataKind {
    init(
        _ name: String, _ rows: Int, newest seconds: Int64? = nil, _ count: CatalogCount, _ runs: [WorkLog.Run],
        _ now: Int64
    ) {
        (self.name, self.rows, newest) = (name, rows, seconds.map { $0 * 1000 })
        func span(since time: Int64) -> String { HTML.span(seconds: max(0, now - time) / 1000) }
        age = newest.map(span)
        advice = StatsHints(count.statistics).lines.filter { $0.kind == name }.map(\.text)
        advice += count.doubts.filter { $0.rows.hasPrefix(name) }.map { doubt in
            // The example may be a member, whom not everybody may see here.
            let command = doubt.command.map { " \($0) ID" } ?? ""
            return "\(doubt.rows): \(doubt.count.grouped); \(doubt.advice)\(command); coterie stats names one"
        }
        guard let run = runs.first(where: { $0.job == "import \(name)" && !$0.isRunning }) else { return }
        imported = "\(span(since: run.lastMilliseconds)) ago"
        rejected = run.outcome.firstMatch(of: /([0-9,]+) rejected/).map { String($0.output.1) }
        if run.isBad {
            advice.append("the last import failed: coterie import \(name) FILE")
        } else if let rejected, rejected != "0" {
            // The report of the import quotes the names of its files for a shell.
            let files = run.notes.compactMap { $0.firstMatch(of: #/rejected lines: (.*); reasons: /#)?.output.1 }.first
            advice.append("correct the rejected rows, and import them again: coterie import \(name) \(files ?? "FILE")")
        }
        if now - run.lastMilliseconds > WorkLog.Run.lifetimeMilliseconds {
            advice.append("the last import is old: coterie import \(name) FILE")
        }
    }
}

extension Responder {
    /// Shows what the catalog has of each kind, and what should be done about it.
    @Sendable
    fileprivate static func dataPage(_ call: Call) throws(Problem) -> Page {
        let now = call.responder.now()
        guard let community = call.responder.community, let path = community.catalogPath,
            let count = try call.responder.pages.cache.count(
                at: now,
                make: { () throws(Problem) in
                    try call.reading { () throws(Failure) in
                        try community.read { facts throws(Failure) in
                            CatalogCount(
                                statistics: try CatalogStatistics(of: facts), doubts: try CatalogDoubt.all(in: facts),
                                atMilliseconds: now)
                        }
                    }
                })
        else {
            let isCounted = call.responder.community?.catalogPath != nil
            return Page(
                "Data", in: .data,
                isCounted
                    ? "<p class=\"nothing\">The catalog is being counted: reload this page in a minute.</p>"
                    : """
                    <p class="nothing">This daemon has no catalog: <code>coterie stats</code> and \
                    <code>coterie check</code> say on its machine what it has.</p>
                    """)
        }
        let runs = (try? WorkLog.runs(beside: path)) ?? []
        let statistics = count.statistics
        let kinds =
            statistics.things.map { DataKind($0.name, $0.rows, count, runs, now) }
            + statistics.relations.map { relation in
                DataKind(relation.name, relation.rows, newest: relation.dates.range?.upperBound, count, runs, now)
            } + [DataKind("interactions", statistics.interactions, count, runs, now)]
        return Page(
            "Data", in: .data,
            subtitle: """
                What the catalog has, counted at \(HTML.day(count.atMilliseconds)). <code>coterie stats</code> and \
                <code>coterie check</code> say more.
                """,
            .table("Kinds of data", AnswerTable(kinds)) { row, column, text in
                switch column {
                case "newest entry": return kinds[row].newest.map { .day($0) }
                case "what to do" where !text.isEmpty: return "<span class=\"bad\">\(text)</span>"
                default: return nil
                }
            })
    }
}
