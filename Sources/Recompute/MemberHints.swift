import Basics
import CatalogStore
import Model
import Recommendation
import Similarity

/// The groups that what members told points to, by the members' rows.
protocol HintSource: Sendable {
    /// Whether a member told anything.
    func tells(user row: Int) -> Bool

    /// Returns the hints of a member, in the order of the kinds, then of the groups.
    func hints(ofUser row: Int) -> [GroupHint]
}

/// The groups that what members tell points to, found member by member when they are asked for.
///
/// All members together would take several gigabytes.
struct MemberHints: HintSource {
    /// The photos or members that users told of, and the groups that these are in.
    struct Table: Sendable {
        /// Users × photos, or users × users; for own photos, the photos of each user.
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

    /// The kinds that there is evidence of, in their order.
    var kinds: [EvidenceKind] { EvidenceKind.allCases.filter { tables[$0] != nil } }

    /// Returns the score of a usual hint of a kind.
    func unit(of kind: EvidenceKind) -> Double { HintFormula.unit(of: kind, sizes: tables[kind]?.sizes ?? []) }

    func tells(user row: Int) -> Bool {
        tables.contains { kind, table in
            kind.source != nil && row < table.told.rowCount && table.told.size(ofRow: row) > 0
        }
    }

    /// Returns the hints that count with some weights: told ones, which settings may weigh anew, and own photos if
    /// they have a weight.
    func counting(in weights: [Manifest.EvidenceWeight]?) -> MemberHints {
        let counts = weights?.contains { $0.kind == .photos && $0.weight > 0 } == true
        return MemberHints(tables.filter { $0.key != .photos || counts })
    }

    /// Returns the score of a hint, before it is weighted.
    func score(_ hint: GroupHint) -> Double {
        HintFormula.score(hint, size: tables[hint.kind]?.sizes[Int(hint.group)] ?? 0)
    }

    func hints(ofUser row: Int) -> [GroupHint] { kinds.flatMap { hints($0, ofUser: row) } }

    /// Returns the hints of a kind of a user, in ascending order of the groups.
    func hints(_ kind: EvidenceKind, ofUser row: Int) -> [GroupHint] {
        guard let table = tables[kind], row < table.told.rowCount else { return [] }
        // Nobody follows themselves; a photo may have the number of the user.
        let limit = kind == .photos ? HintFormula.photoLimit : HintFormula.entryLimit
        let groups = table.told.row(row).suffix(limit).lazy.filter { entry in
            Int(entry) < table.groups.rowCount && !(kind == .follows && Int(entry) == row)
                && !table.leftOut.contains(entry)
        }.map { table.groups.row(Int($0)) }
        let sizes = { (group: UInt32) in table.sizes[Int(group)] }
        return switch kind {
        case .favourites:
            HintFormula.hints(ofPhotosIn: groups, groupCount: table.sizes.count, sizes: sizes)
        case .follows: HintFormula.hints(ofMembersIn: groups, sizes: sizes)
        case .photos: HintFormula.hints(ofOwnPhotosIn: groups)
        }
    }
}

extension MemberHints {
    /// The numbers of a member's favourites that may count, the newest ones.
    private static let admirerLimits = [HintFormula.entryLimit, 300, 100, 30, 10]
    /// The most entries of the matrix of admirers, if the pools have not more.
    private static let admirerEntries = 10_000_000

    /// The users that a thread takes at a time.
    private static let usersPerPortion = 2048

    /// Returns groups × the members who like a photo of the group's pool, or nil if no member told of favourites.
    ///
    /// Only the newest favourites of each member count: as many as keep the entries below those of the pools. So
    /// comparing groups by them costs no more than comparing by photos.
    func admirers(threads: Int) throws(Failure) -> (matrix: BinaryMatrix, limit: Int)? {
        guard let table = tables[.favourites] else { return nil }
        let (told, groups) = (table.told, table.groups)
        let counts = Self.inPooledPhotos(told, groups, threads: threads)
        let most = max(groups.entryCount, Self.admirerEntries)
        let limit = Self.admirerLimits[counts.firstIndex { $0 <= most } ?? counts.count - 1]
        let parts = Parallel.map(
            told.rowCount, inPortionsOf: Self.usersPerPortion, threads: threads,
            // The last user with a photo of each group.
            state: { _ in [Int](repeating: -1, count: table.sizes.count) }
        ) { lastUser, users in
            var (ends, columns) = ([Int](), [UInt32]())
            for user in users {
                let start = columns.count
                for photo in told.row(user).suffix(limit) where Int(photo) < groups.rowCount {
                    for group in groups.row(Int(photo)) where lastUser[Int(group)] != user {
                        lastUser[Int(group)] = user
                        columns.append(group)
                    }
                }
                columns[start...].sort()
                ends.append(columns.count)
            }
            return (ends: ends, columns: columns)
        }
        var (offsets, columns) = ([0], [UInt32]())
        for part in parts {
            offsets += part.ends.map { columns.count + $0 }
            columns += part.columns
        }
        let liked = try BinaryMatrix(columnCount: table.sizes.count, rowOffsets: offsets, columnIndices: columns)
        return (try liked.transposed(), limit)
    }

    /// Returns the number of pool entries of the newest favourites of all users, for each of `admirerLimits`.
    private static func inPooledPhotos(_ told: BinaryMatrix, _ groups: BinaryMatrix, threads: Int) -> [Int] {
        let parts = Parallel.map(told.rowCount, inPortionsOf: usersPerPortion, threads: threads, state: { _ in }) {
            _, users in
            var counts = [Int](repeating: 0, count: admirerLimits.count)
            for user in users {
                for (age, photo) in told.row(user).suffix(HintFormula.entryLimit).reversed().enumerated()
                where Int(photo) < groups.rowCount {
                    let found = groups.size(ofRow: Int(photo))
                    for (place, limit) in admirerLimits.enumerated() where age < limit { counts[place] += found }
                }
            }
            return counts
        }
        return admirerLimits.indices.map { place in parts.reduce(0) { $0 + $1[place] } }
    }
}

/// The matrices that hints need.
struct HintMatrices {
    /// The owner of each photo, by the photo's column.
    private let owners: [UInt32]
    /// Groups × photos, and groups × users, as far as there is evidence about these.
    private let groups: [RelationDescription.Role: BinaryMatrix]

    init(_ tables: [ReadRelation]) {
        owners = tables[.pool]?.content?.owners ?? []
        let kept = tables.compactMap { table in table.facts.role.flatMap { role in table.matrix.map { (role, $0) } } }
        groups = Dictionary(uniqueKeysWithValues: kept)
    }

    /// Reads what members told; without any, no step is reported.
    ///
    /// - Returns: the hints of all members, and groups × the members who like a photo of the group's pool, if any told
    ///   of favourites.
    consuming func told(_ run: JobRun) throws(Failure) -> (hints: MemberHints, admirers: BinaryMatrix?) {
        guard !run.told.isEmpty else { return (.none, nil) }
        let (matrices, clock) = (self, run.clock)
        return try clock.step(.hints) { () throws(Failure) in
            let hints = try matrices.hints(run.told, run.entries) { clock.advance(done: $0, total: nil) }
            let admirers = try hints.admirers(threads: run.parameters.threads)
            let kinds = hints.kinds.map { $0 == .photos ? "own photos" : $0.rawValue }.joined(separator: ", ")
            let note = admirers.map { "; the newest \($0.limit) favourites of each member make groups similar" } ?? ""
            return ((hints, admirers?.matrix), kinds + note)
        }
    }

    private func hints(
        _ kinds: [EvidenceKind], _ entries: any EntrySource, progress: @escaping @Sendable (_ rows: Int) -> Void
    ) throws(Failure) -> MemberHints {
        var tables: [EvidenceKind: MemberHints.Table] = [:]
        var turned: [RelationDescription.Role: BinaryMatrix] = [:]
        for kind in kinds {
            guard let matrix = groups[kind.sizeRole] else { continue }
            let told =
                if let source = kind.source {
                    try entries.matrix(source, keeping: nil, progress: progress).matrix
                } else { try ownPhotos(entries.ownerOffset) }
            guard told.entryCount > 0 else { continue }
            let groups = if let known = turned[kind.sizeRole] { known } else { try matrix.transposed() }
            turned[kind.sizeRole] = groups
            tables[kind] = MemberHints.Table(
                told: told, groups: groups,
                sizes: (0..<matrix.rowCount).map { UInt32(matrix.size(ofRow: $0)) },
                leftOut: kind == .follows ? try entries.unlistedUsers() : [])
        }
        return MemberHints(tables)
    }

    /// Returns users × their photos, the newest last.
    ///
    /// - Parameter offset: the number of an owner less the user's row.
    private func ownPhotos(_ offset: Int) throws(Failure) -> BinaryMatrix {
        let users = max(0, Int(owners.max() ?? 0) + 1 - offset)
        var offsets = [Int](repeating: 0, count: users + 1)
        for owner in owners where owner > 0 { offsets[Int(owner) - offset + 1] += 1 }
        for user in 0..<users { offsets[user + 1] += offsets[user] }
        var next = offsets
        var photos = [UInt32](repeating: 0, count: offsets[users])
        for (photo, owner) in owners.enumerated() where owner > 0 {
            photos[next[Int(owner) - offset]] = UInt32(photo)
            next[Int(owner) - offset] += 1
        }
        return try BinaryMatrix(columnCount: owners.count, rowOffsets: offsets, columnIndices: photos)
    }
}

extension EvidenceKind {
    /// Returns the kinds of evidence that a source has data of.
    static func known(in entries: any EntrySource, _ relations: RelationTable) throws(Failure) -> [EvidenceKind] {
        var kinds: [EvidenceKind] = []
        for kind in allCases {
            let isKnown =
                if let source = kind.source {
                    relations.memberTables.contains(source) ? try entries.hasRows(source) : false
                } else { try entries.hasPhotoOwners() }
            if isKnown { kinds.append(kind) }
        }
        return kinds
    }
}

extension RelationEvidence {
    /// Returns the weights of what members tell beside the relations, for the manifest.
    ///
    /// A kind gets the weight that ranks memberships best that are left out, 0 if none helps. Where too few members
    /// have told something to learn from, it gets the usual weight.
    ///
    /// - Parameter fair: the evidence without what the cases leave out, for own photos.
    /// - Returns: a weight for each kind that there is evidence of; `nil` if there is none.
    func evidenceWeights(_ hints: MemberHints, beside weights: [Relation: Double], _ fair: RelationEvidence)
        -> [Manifest.EvidenceWeight]?
    {
        let found = hints.kinds.map { kind in
            let unit = hints.unit(of: kind)
            let known = known(hints, kind)
            let weight =
                known.count >= Self.leastMembers
                ? (kind.source == nil ? fair : self).best(weights, hints: known, unit: unit, kind, sizes: hints)
                : HintFormula.usualWeight(of: kind)
            return Manifest.EvidenceWeight(kind, weight: weight, unit: unit)
        }
        return found.isEmpty ? nil : found
    }
}
