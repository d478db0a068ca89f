import Basics
import Model
import ModelStore
import Similarity

/// Limits on the difference between a new version and the current one.
///
/// A version within the limits becomes current automatically. All limits are shares, 0...1, inclusive. A share of fewer
/// than 20 is not judged: a single group would be a large share.
package struct GateLimits: Sendable, Equatable {
    /// The share of groups, members or entries (memberships, photos in pools) that may be gone.
    package var lost: Double
    /// The share of groups that may lose all their neighbours in one relation.
    package var emptied: Double
    /// The least overlap of the 10 best neighbours, as a mean over groups.
    package var overlap: Double
    /// The most that scores may move, relative to the old scores.
    package var drift: Double

    /// Creates limits; the defaults allow much change in a week, but stop a broken import.
    package init(lost: Double = 0.1, emptied: Double = 0.1, overlap: Double = 0.5, drift: Double = 0.5) {
        self.lost = lost
        self.emptied = emptied
        self.overlap = overlap
        self.drift = drift
    }
}

/// Decides whether a new version may become current without a person's approval.
struct PublicationGate {
    let limits: GateLimits
    let relations: RelationTable
    /// The least total of which a share is judged.
    private static let fewest = 20

    /// Returns the objections to the new version, each a clause with its numbers and its limit.
    ///
    /// - Parameter comparison: the comparison of the current version with the new one.
    /// - Returns: an empty list if the version may become current.
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
        // Features of photos are learned anew each time, and move with the photos.
        guard let before = current[relation], relations[relation]?.feature == nil else { return [] }
        let after = new[relation]
        let name = relation.rawValue
        var objections: [String] = []
        let table = relations[relation]?.source?.table ?? name
        judge(
            before.entries - (after?.entries ?? 0), of: before.entries, limits.lost, "entries of \(table) are gone",
            &objections)
        if let columns = before.columns {
            judge(
                columns - (after?.columns ?? 0), of: columns, limits.lost,
                "\(relations[relation]?.plural ?? name) without any group now", &objections)
        }
        // Another formula finds other neighbours, as its author knows.
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

/// The finding of the gate: the comparison with the current version, and the objections.
struct GateFinding {
    var current: VersionName
    var comparison: VersionComparison
    var objections: [String]
}

extension RecomputeJob {
    /// Loads the current version, or returns nil if there is none, or if it cannot be read.
    func loadedCurrent(_ observer: any RecomputeObserver) -> LoadedVersion? {
        do throws(Failure) {
            return try store.current().map { name throws(Failure) in try store.load(name) }
        } catch {
            observer.warn(
                "the new version is not compared with the current one, whose lists are not measured: \(error.message)")
            return nil
        }
    }

    /// Compares a new version with the current one.
    func compare(_ new: ModelVersion, with current: LoadedVersion, _ manifest: Manifest, _ clock: StepClock)
        throws(Failure) -> GateFinding
    {
        try clock.step(.compareVersions) {
            let comparison = VersionComparison(from: current.model, to: new)
            let objections = PublicationGate(limits: parameters.gate, relations: parameters.relations).objections(
                comparison, from: current.manifest, to: manifest)
            let finding = GateFinding(
                current: current.manifest.version, comparison: comparison, objections: objections)
            return (finding, Self.outcome(comparison))
        }
    }

    private static func outcome(_ comparison: VersionComparison) -> String {
        let overlaps = comparison.relations.compactMap { relation in
            relation.overlapAt10.map { "\(Int(($0 * 100).rounded()))% by \(relation.relation.rawValue)" }
        }
        let groups = "\(comparison.groupsLost) groups lost, \(comparison.groupsAdded) new"
        return overlaps.isEmpty ? groups : "\(groups); the same neighbours: \(overlaps.joined(separator: ", "))"
    }
}
