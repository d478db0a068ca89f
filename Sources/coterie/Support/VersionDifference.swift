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
        if let group = parsed.textIfGiven("group") {
            let rows = try neighbours(of: group)
            try parsed.print(rows) { output in
                try output.line(
                    "neighbours of \(group) in \(before.manifest.version) and \(after.manifest.version)")
                try output.table(rows, ifNone: "no neighbours in either version")
            }
        } else {
            let comparison = VersionComparison(from: before.model, to: after.model)
            try parsed.print(comparison) { output in try write(comparison, &output) }
        }
    }

    private func write(_ comparison: VersionComparison, _ output: inout Output) throws {
        try output.line(
            "groups: \(comparison.groupsBefore.grouped) before, \(comparison.groupsAfter.grouped) "
                + "after; \(comparison.groupsLost.grouped) gone, "
                + "\(comparison.groupsAdded.grouped) new"
        )
        try output.table(comparison.relations)
        for objection in after.manifest.objections ?? [] { try output.line("refused: \(objection)") }
    }

    private func neighbours(of group: String) throws -> [MovedNeighbour] {
        let places = [before.model, after.model].map { $0.index(ofID: group) }
        guard places.contains(where: { $0 != nil }) else {
            throw Failure(.badData, "neither version has a group \"\(group)\"")
        }
        let relations = after.model.relations + before.model.relations.filter { !after.model.relations.contains($0) }
        return relations.flatMap { relation -> [MovedNeighbour] in
            var rows: [String: MovedNeighbour] = [:]
            for (id, rank, score) in list(of: places[0], by: relation, in: before.model) {
                rows[id] = MovedNeighbour(relation: relation, groupId: id, rankBefore: rank, scoreBefore: score)
            }
            for (id, rank, score) in list(of: places[1], by: relation, in: after.model) {
                var row = rows[id] ?? MovedNeighbour(relation: relation, groupId: id)
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
}

/// A neighbour of a group in either version.
private struct MovedNeighbour: Answer {
    let relation: Relation
    let groupId: String
    var rankBefore, rankAfter: Int?
    var scoreBefore, scoreAfter: Float?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("relation", \.relation, "The relation", column: Column("relation", \.rawValue))
        fields.always("groupId", \.groupId, "The neighbour", column: .id("group"))
        fields.sometimes("rankBefore", \.rankBefore, "Its rank in the first version", column: .rank("rank before"))
        fields.sometimes("rankAfter", \.rankAfter, "Its rank in the second version", column: .rank("rank after"))
        fields.sometimes("scoreBefore", \.scoreBefore, "Its score there", column: .score("score before"))
        fields.sometimes("scoreAfter", \.scoreAfter, "Its score there", column: .score("score after"))
    }
}
