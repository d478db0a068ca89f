import Model
import ModelStore
import Similarity

/// How far a new version may be from the current one and still take its place by itself.
///
/// All are shares, 0...1. What there are fewer than 20 of is not judged: of a few groups, one is a large share.
public struct GateLimits: Sendable, Equatable {
    /// Groups, members and entries (memberships, photos in pools) of the current version that may be gone.
    public var lost: Double
    /// Groups with neighbours that may be left without any, in one relation.
    public var emptied: Double
    /// How much of the 10 best neighbours must be the same, the mean over groups.
    public var overlap: Double
    /// How far scores may move, relative to what they were.
    public var drift: Double

    /// Limits; the defaults let a community change a lot in a week, and stop a broken import.
    public init(lost: Double = 0.1, emptied: Double = 0.1, overlap: Double = 0.5, drift: Double = 0.5) {
        self.lost = lost
        self.emptied = emptied
        self.overlap = overlap
        self.drift = drift
    }
}

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

/// What the gate found: how the new version differs from the current one, and what speaks against it.
struct GateFinding {
    var current: VersionName
    var comparison: VersionComparison
    var objections: [String]
}

extension RecomputeJob {
    /// Compares what was built with the version that is current.
    ///
    /// - Returns: nil if no version is current, or the current one cannot be read, which says nothing of the new one.
    func compareWithCurrent(
        _ built: BuiltModel, _ manifest: Manifest, _ clock: StepClock, _ observer: any RecomputeObserver
    )
        throws(RecomputeError) -> GateFinding?
    {
        let current: LoadedVersion
        do throws(StoreError) {
            guard let name = try store.current() else { return nil }
            current = try store.load(name)
        } catch {
            observer.warn("the new version is not compared with the current one: \(error.message)")
            return nil
        }
        return try clock.step(StepName.compareVersions) { () throws(RecomputeError) in
            let new: ModelVersion
            do throws(ModelError) { new = try ModelVersion(built.model) } catch { throw .model(error.description) }
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
