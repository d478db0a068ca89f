import Model
import ModelStore

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
