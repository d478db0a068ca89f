import CatalogStore
import Model
import Recommendation
import Similarity

/// The groups that what members tell points to, found member by member when they are asked for.
///
/// All members together would take several gigabytes.
struct MemberHints: Sendable {
    /// The photos or members that users told of, and the groups that these are in.
    struct Table: Sendable {
        /// Users × photos, or users × users.
        let told: BinaryMatrix
        /// Photos × groups, or users × groups.
        let groups: BinaryMatrix
        /// The size of each group, by which scores are divided.
        let sizes: [UInt32]
        /// The columns that do not count.
        let leftOut: Set<UInt32>
    }

    private let tables: [EvidenceKind: Table]

    static let none = MemberHints([:])

    init(_ tables: [EvidenceKind: Table]) { self.tables = tables }

    /// The kinds that somebody told something of, in their order.
    var kinds: [EvidenceKind] { EvidenceKind.allCases.filter { tables[$0] != nil } }

    /// Returns the score of a usual hint of a kind.
    func unit(of kind: EvidenceKind) -> Double { HintFormula.unit(of: kind, sizes: tables[kind]?.sizes ?? []) }

    /// Returns whether a user told anything.
    func tells(user row: Int) -> Bool {
        tables.values.contains { row < $0.told.rowCount && $0.told.size(ofRow: row) > 0 }
    }

    /// Returns the score of a hint, before it is weighted.
    func score(_ hint: GroupHint) -> Double {
        HintFormula.score(hint, size: tables[hint.kind]?.sizes[Int(hint.group)] ?? 0)
    }

    /// Returns the hints of a user, in the order of the kinds, then of the groups.
    func hints(ofUser row: Int) -> [GroupHint] { kinds.flatMap { hints($0, ofUser: row) } }

    /// Returns the hints of a kind of a user, in ascending order of the groups.
    func hints(_ kind: EvidenceKind, ofUser row: Int) -> [GroupHint] {
        guard let table = tables[kind], row < table.told.rowCount else { return [] }
        // Nobody follows themselves; a photo may have the number of the user.
        let groups = table.told.row(row).suffix(HintFormula.entryLimit).lazy.filter { entry in
            Int(entry) < table.groups.rowCount && !(kind == .follows && Int(entry) == row)
                && !table.leftOut.contains(entry)
        }.map { table.groups.row(Int($0)) }
        let sizes = { (group: UInt32) in table.sizes[Int(group)] }
        return switch kind {
        case .favourites:
            HintFormula.hints(ofPhotosIn: groups, groupCount: table.sizes.count, sizes: sizes)
        case .follows: HintFormula.hints(ofMembersIn: groups, sizes: sizes)
        }
    }
}

/// The matrices that hints need, collected while the relations are read.
struct HintMatrices {
    private var groups: [EvidenceKind: (matrix: BinaryMatrix, sizes: [UInt32])] = [:]

    /// Takes the matrix of a relation, groups × photos or groups × users, if members told something about its entries.
    mutating func take(_ reading: MatrixReading, of facts: RelationDescription, told: [EvidenceKind]) {
        for kind in told where facts.role == kind.sizeRole {
            let matrix = reading.matrix
            groups[kind] = (matrix, (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) })
        }
    }

    /// Reads what members told, and returns the hints.
    func hints(_ entries: any EntrySource, progress: @escaping @Sendable (_ rows: Int) -> Void)
        throws(RecomputeError) -> MemberHints
    {
        var tables: [EvidenceKind: MemberHints.Table] = [:]
        for (kind, found) in groups {
            do throws(CatalogError) {
                let told = try entries.matrix(
                    kind.source, keeping: nil, findingFirstDays: false, progress: progress
                ).matrix
                guard told.entryCount > 0 else { continue }
                tables[kind] = MemberHints.Table(
                    told: told, groups: try turned(found.matrix), sizes: found.sizes,
                    leftOut: kind == .follows ? try entries.unlistedUsers() : [])
            } catch { throw .catalog(error) }
        }
        return MemberHints(tables)
    }

    private func turned(_ matrix: BinaryMatrix) throws(CatalogError) -> BinaryMatrix {
        do throws(MatrixError) { return try matrix.transposed() } catch {
            throw CatalogError(.badData, "the entries cannot be turned to groups: \(error)")
        }
    }
}

extension RecomputeJob {
    /// Returns the kinds of evidence that the catalog has data of.
    func toldKinds(_ entries: any EntrySource) throws(RecomputeError) -> [EvidenceKind] {
        do throws(CatalogError) {
            var told: [EvidenceKind] = []
            for kind in EvidenceKind.allCases where parameters.relations.memberTables.contains(kind.source) {
                if try entries.hasRows(kind.source) { told.append(kind) }
            }
            return told
        } catch { throw .catalog(error) }
    }
}

extension RecomputeJob {
    /// Returns the groups that what members tell points to; no step is reported if nobody told anything.
    func memberHints(
        _ entries: any EntrySource, _ told: [EvidenceKind], _ matrices: HintMatrices, _ clock: StepClock
    ) throws(RecomputeError) -> MemberHints {
        guard !told.isEmpty else { return .none }
        return try clock.step(StepName.hints) { () throws(RecomputeError) in
            let hints = try matrices.hints(entries) { rows in clock.advance(done: rows, total: nil, unit: "rows") }
            return (hints, hints.kinds.map(\.rawValue).joined(separator: ", "))
        }
    }
}

extension RelationEvidence {
    /// Returns the weights of what members tell beside the relations, for the manifest.
    ///
    /// A kind gets the weight that ranks memberships best that are left out, 0 if none helps. Where too few members
    /// have told something to learn from, it gets the usual weight.
    ///
    /// - Returns: a weight for each kind that somebody told something of; `nil` if there is none.
    func evidenceWeights(_ hints: MemberHints, beside weights: [Relation: Double]) -> [Manifest.EvidenceWeight]? {
        let found = hints.kinds.map { kind in
            let unit = hints.unit(of: kind)
            let known = known(hints, kind)
            let weight =
                known.count >= Self.leastMembers
                ? best(weights, hints: known, unit: unit, kind, sizes: hints) : HintFormula.usualWeight
            return Manifest.EvidenceWeight(kind, weight: weight, unit: unit)
        }
        return found.isEmpty ? nil : found
    }
}
