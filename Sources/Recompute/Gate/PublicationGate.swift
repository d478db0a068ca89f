import Model
import Similarity

/// Decides whether a new version may replace the current one without anybody looking at it first.
struct PublicationGate {
    let limits: GateLimits
    let relations: RelationTable
    /// Shares of fewer than this are not judged.
    private static let fewest = 20

    /// What speaks against the new version, each in a clause with its numbers and its limit; none if it may go on.
    ///
    /// - Parameter comparison: from the current version to the new one.
    func objections(_ comparison: VersionComparison, from current: Manifest, to new: Manifest) -> [String] {
        var objections: [String] = []
        judge(comparison.groupsLost, of: comparison.groupsBefore, limits.lost, "groups are gone", &objections)
        for relation in comparison.relations {
            objections += self.objections(relation, from: current, to: new)
        }
        return objections
    }

    private func objections(_ comparison: RelationComparison, from current: Manifest, to new: Manifest) -> [String] {
        let relation = comparison.relation
        guard let before = current[relation] else { return [] }
        let after = new[relation]
        let name = relation.rawValue
        var objections: [String] = []
        let table = relations[relation]?.source.table ?? name
        judge(
            before.entries - (after?.entries ?? 0), of: before.entries, limits.lost, "entries of \(table) are gone",
            &objections)
        if let columns = before.columns {
            judge(
                columns - (after?.columns ?? 0), of: columns, limits.lost, "\(name) without any group now", &objections)
        }
        // Another formula finds other neighbours: whoever chose it knows that.
        guard let after, after.parameters == before.parameters, comparison.groupsWithNeighboursBefore >= Self.fewest
        else {
            return objections
        }
        judge(
            comparison.groupsEmptied, of: comparison.groupsWithNeighboursBefore, limits.emptied,
            "groups have no neighbours by \(name) any more", &objections)
        if let overlap = comparison.overlapAt10, overlap < limits.overlap {
            objections.append(
                "only \(percent(overlap)) of the 10 best neighbours by \(name) are the same "
                    + "(at least \(percent(limits.overlap)))")
        }
        if let drift = comparison.scoreDrift, drift > limits.drift {
            objections.append("scores by \(name) moved by \(percent(drift)) (at most \(percent(limits.drift)))")
        }
        return objections
    }

    private func judge(_ count: Int, of all: Int, _ limit: Double, _ what: String, _ objections: inout [String]) {
        guard all >= Self.fewest, Double(count) > limit * Double(all) else { return }
        objections.append("\(count) of \(all) \(what) (at most \(percent(limit)))")
    }

    private func percent(_ share: Double) -> String {
        let tenths = Int((share * 1000).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)%" : "\(tenths / 10).\(tenths % 10)%"
    }
}
