import Answers
import Basics
import CommandLine
import Model
import ModelStore

/// The differences between two versions, for `coterie models diff`.
struct VersionDifference {
    let before: LoadedVersion
    let after: LoadedVersion

    init(_ store: any VersionStore, _ before: VersionName, _ after: VersionName) throws {
        self.before = try store.load(before)
        self.after = try store.load(after)
    }

    /// Writes the differences of all groups, or of the neighbours of the group in `--group`.
    func write(_ parsed: ParsedCommand) throws {
        var output = try Output()
        if let group = parsed.textIfGiven("group") {
            let rows = try neighbours(of: group)
            if parsed.flag("json") { try output.json(document: rows) } else { try write(rows, of: group, &output) }
        } else {
            let comparison = VersionComparison(from: before.model, to: after.model)
            if parsed.flag("json") {
                try output.json(document: comparison)
            } else {
                try write(comparison, &output)
            }
        }
        try output.flush()
    }

    private func write(_ comparison: VersionComparison, _ output: inout Output) throws {
        try output.line(
            "groups: \(comparison.groupsBefore.grouped) before, \(comparison.groupsAfter.grouped) "
                + "after; \(comparison.groupsLost.grouped) gone, "
                + "\(comparison.groupsAdded.grouped) new"
        )
        var table = TextTable(
            [.init(title: "relation")]
                + ["covered before", "covered after", "emptied", "same of 10", "same of 100", "scores moved"].map {
                    .init(title: $0, isNumber: true)
                })
        for relation in comparison.relations {
            table.add(
                [relation.relation.rawValue]
                    + [relation.coverageBefore, relation.coverageAfter].map(percent)
                    + [relation.groupsEmptied.grouped]
                    + [relation.overlapAt10, relation.overlapAt100, relation.scoreDrift].map { $0.map(percent) ?? "-" })
        }
        for line in table.lines { try output.line(line) }
        for objection in after.manifest.objections ?? [] { try output.line("refused: \(objection)") }
    }

    private func percent(_ share: Double) -> String { Formats.percent(share) }

    /// A neighbour of a group in either version.
    private struct Row: Encodable {
        var relation: Relation
        var groupId: String
        var rankBefore: Int?
        var rankAfter: Int?
        var scoreBefore: Float?
        var scoreAfter: Float?
    }

    private func neighbours(of group: String) throws -> [Row] {
        let places = [before.model, after.model].map { $0.index(ofID: group) }
        guard places.contains(where: { $0 != nil }) else {
            throw Failure(.badData, "neither version has a group \"\(group)\"")
        }
        let relations = after.model.relations + before.model.relations.filter { !after.model.relations.contains($0) }
        return relations.flatMap { relation -> [Row] in
            var rows: [String: Row] = [:]
            for (id, rank, score) in list(of: places[0], by: relation, in: before.model) {
                rows[id] = Row(relation: relation, groupId: id, rankBefore: rank, scoreBefore: score)
            }
            for (id, rank, score) in list(of: places[1], by: relation, in: after.model) {
                var row = rows[id] ?? Row(relation: relation, groupId: id)
                (row.rankAfter, row.scoreAfter) = (rank, score)
                rows[id] = row
            }
            return rows.values.sorted {
                ($0.rankAfter ?? .max, $0.rankBefore ?? .max, $0.groupId)
                    < ($1.rankAfter ?? .max, $1.rankBefore ?? .max, $1.groupId)
            }
        }
    }

    private func list(of group: Int?, by relation: Relation, in model: ModelVersion)
        -> [(id: String, rank: Int, score: Float)]
    {
        guard let group else { return [] }
        return model.neighbours(of: group, by: relation).enumerated().map { offset, neighbour in
            (model.id(of: Int(neighbour.index)), offset + 1, neighbour.score)
        }
    }

    private func write(_ rows: [Row], of group: String, _ output: inout Output) throws {
        try output.line(
            printable("neighbours of \(group) in \(before.manifest.version) and \(after.manifest.version)"))
        var table = TextTable(
            [.init(title: "relation"), .init(title: "group", maximumWidth: 36)]
                + ["rank before", "rank after", "score before", "score after"].map { .init(title: $0, isNumber: true) })
        for row in rows {
            table.add(
                [row.relation.rawValue, row.groupId]
                    + [row.rankBefore, row.rankAfter].map { $0.map(String.init) ?? "-" }
                    + [row.scoreBefore, row.scoreAfter].map { $0.map { Formats.score(Double($0)) } ?? "-" })
        }
        for line in table.lines { try output.line(line) }
        if rows.isEmpty { try output.line("no neighbours in either version") }
    }
}
