import Glibc
package import Model

/// The formula by which favourite photos and followed members point to groups.
///
/// The score of a group is the sum of the information of what points to it, divided by the square root of its size. The
/// size is that of its pool for photos, and its number of members for followed members. A photo tells more if few pools
/// have it. All sums are of whole numbers, so that every program that computes them finds the same.
package enum HintFormula {
    /// The most groups of each kind that count for a member; the ones with the greatest scores.
    package static let groupLimit = 20
    /// The most photos, and the most followed members, that count for a member.
    ///
    /// Those count that came to the catalog last: their keys are the highest, so that no list of all is sorted.
    package static let entryLimit = 1000
    private static let unitsOfMember: UInt32 = 8
    /// The fewest followed members who point to a group; with fewer, a member might be recognised.
    private static let leastMembers: UInt32 = 3
    /// Returns the weight of a kind where nothing can be learned from memberships.
    package static func usualWeight(of kind: EvidenceKind) -> Double { kind.source == nil ? 0 : 0.5 }
    /// The weight of the neighbours of a group, relative to the group itself, for a member without groups.
    static let neighbourWeight = 0.1

    /// Returns the information of a photo, in eighths of a bit: log₂ of the groups for each that has the photo.
    package static func units(ofPhotoIn groups: Int, of groupCount: Int) -> UInt32 {
        UInt32(max(1, (8 * log2(Double(groupCount) / Double(max(1, groups)))).rounded()))
    }

    /// Returns the groups that photos point to, ascending.
    ///
    /// - Parameters:
    ///   - groupsOfPhotos: the groups of each favourite photo that is in some pool.
    ///   - sizes: the number of photos in the pool of a group.
    package static func hints(
        ofPhotosIn groupsOfPhotos: some Sequence<some Collection<UInt32>>, groupCount: Int, sizes: (UInt32) -> UInt32
    ) -> [GroupHint] {
        var found: [UInt64] = []
        for groups in groupsOfPhotos where !groups.isEmpty {
            let units = units(ofPhotoIn: groups.count, of: groupCount)
            for group in groups { found.append(UInt64(group) << 32 | UInt64(units)) }
        }
        return best(of: found, .favourites, leastCount: 1, sizes)
    }

    /// Returns the groups that followed members point to, ascending.
    ///
    /// - Parameter groupsOfMembers: the groups of each followed member.
    package static func hints(
        ofMembersIn groupsOfMembers: some Sequence<some Collection<UInt32>>, sizes: (UInt32) -> UInt32
    ) -> [GroupHint] {
        var found: [UInt64] = []
        for groups in groupsOfMembers {
            for group in groups { found.append(UInt64(group) << 32 | UInt64(unitsOfMember)) }
        }
        return best(of: found, .follows, leastCount: leastMembers, sizes)
    }

    /// The most of a member's own photos that count, the newest ones.
    package static let photoLimit = 300

    /// Returns the groups whose pools have a member's own photos, ascending.
    ///
    /// - Parameter groupsOfPhotos: the groups of each of the member's newest photos.
    package static func hints(ofOwnPhotosIn groupsOfPhotos: some Sequence<some Collection<UInt32>>) -> [GroupHint] {
        var counts: [UInt32: UInt32] = [:]
        for groups in groupsOfPhotos { for group in groups { counts[group, default: 0] += 1 } }
        let most = counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(groupLimit)
        return most.sorted { $0.key < $1.key }.map { group, count in
            GroupHint(.photos, group: group, units: UInt32((8 * log1p(Double(count))).rounded()), count: count)
        }
    }

    /// Returns hints of follows after some members were followed, or are not followed any more.
    ///
    /// The hints of a version say nothing of groups to which fewer than the least number of followed members point.
    /// Such
    /// a group counts when enough members point to it who were followed since.
    ///
    /// - Parameters:
    ///   - hints: all hints of a member.
    ///   - followed: the groups of each member who was followed since, or is not followed any more.
    package static func hints(
        _ hints: [GroupHint], after followed: [(adds: Bool, groups: [UInt32])], sizes: (UInt32) -> UInt32
    ) -> [GroupHint] {
        var counts = Dictionary(
            uniqueKeysWithValues: hints.filter { $0.kind == .follows }.map { ($0.group, Int($0.count)) })
        for change in followed {
            for group in change.groups { counts[group, default: 0] += change.adds ? 1 : -1 }
        }
        let pairs = counts.filter { $0.value > 0 }.flatMap { group, count in
            [UInt64](repeating: UInt64(group) << 32 | UInt64(unitsOfMember), count: count)
        }
        return hints.filter { $0.kind != .follows } + best(of: pairs, .follows, leastCount: leastMembers, sizes)
    }

    /// Returns the score of a hint at a group of a size, before it is weighted.
    package static func score(_ hint: GroupHint, size: UInt32) -> Double {
        Double(hint.units) / Double(max(1, size)).squareRoot()
    }

    /// Returns the score of a usual hint: one rare photo, or some members, at a group of the mean size.
    package static func unit(of kind: EvidenceKind, sizes: [UInt32]) -> Double {
        let units: UInt32
        switch kind {
        case .favourites: units = self.units(ofPhotoIn: 1, of: sizes.count)
        case .follows: units = unitsOfMember * leastMembers
        case .photos: return 8  // They count whatever the size of the group.
        }
        let filled = sizes.filter { $0 > 0 }
        guard !filled.isEmpty else { return 1 }
        let mean = Double(filled.reduce(0) { $0 + Int($1) }) / Double(filled.count)
        return Double(units) / mean.squareRoot()
    }

    /// Adds up pairs of a group and its units, and returns the groups with the greatest scores, ascending.
    private static func best(
        of pairs: [UInt64], _ kind: EvidenceKind, leastCount: UInt32, _ sizes: (UInt32) -> UInt32
    ) -> [GroupHint] {
        var hints: [GroupHint] = []
        for pair in pairs.sorted() {
            let (group, units) = (UInt32(pair >> 32), UInt32(truncatingIfNeeded: pair))
            if let last = hints.indices.last, hints[last].group == group {
                hints[last].units += units
                hints[last].count += 1
            } else {
                hints.append(GroupHint(kind, group: group, units: units, count: 1))
            }
        }
        hints.removeAll { $0.count < leastCount }
        guard hints.count > groupLimit else { return hints }
        let scored = hints.map { (hint: $0, score: score($0, size: sizes($0.group))) }
            .sorted { ($0.score, $1.hint.group) > ($1.score, $0.hint.group) }
        return scored.prefix(groupLimit).map(\.hint).sorted { $0.group < $1.group }
    }
}

/// A group that what a member told points to, with its score in lists.
package struct ScoredHint: Sendable, Equatable {
    /// The group's index in the model.
    package let group: UInt32
    /// The score that it adds to the group's raw score, above 0.
    package let score: Double
    /// The numbers of photos or members that point to the group, by kind, in the order of the kinds.
    package let counts: [(kind: EvidenceKind, count: UInt32)]

    /// Returns whether two are the same.
    package static func == (one: ScoredHint, other: ScoredHint) -> Bool {
        one.group == other.group && one.score == other.score
            && one.counts.elementsEqual(other.counts) { $0.kind == $1.kind && $0.count == $1.count }
    }
}

extension EvidenceKind {
    /// The role of the relation whose sizes divide the scores of hints.
    package var sizeRole: RelationDescription.Role {
        switch self {
        case .favourites, .photos: .pool
        case .follows: .membership
        }
    }
}

extension RelationTable {
    /// Returns the size of a group by which the score of a hint is divided.
    package func size(of group: UInt32, _ kind: EvidenceKind, _ model: VisibleModel) -> UInt32 {
        size(of: Int(group), in: kind.sizeRole, model)
    }
}

extension Planner {
    /// Returns the groups that what a member told points to, ascending, without groups that the member joined or
    /// dismissed.
    package func hints(of profile: MemberProfile) -> [ScoredHint] {
        guard !profile.hints.isEmpty, !configuration.evidence.isEmpty else { return [] }
        let settled = Set(profile.joined.map(\.group)).union(profile.dismissals.map(\.group))
        var found: [UInt32: ScoredHint] = [:]
        for hint in profile.hints where model.shows(hint.group) && !settled.contains(hint.group) {
            guard hint.kind.source != nil,
                let evidence = configuration.evidence.first(where: { $0.kind == hint.kind }), evidence.weight > 0
            else { continue }
            let size = configuration.relations.size(of: hint.group, hint.kind, model)
            let score = evidence.weight / evidence.unit * HintFormula.score(hint, size: size)
            let known = found[hint.group]
            found[hint.group] = ScoredHint(
                group: hint.group, score: (known?.score ?? 0) + score,
                counts: (known?.counts ?? []) + [(hint.kind, hint.count)])
        }
        return found.values.sorted { $0.group < $1.group }
    }

    /// Returns the joined groups from which a list is made, and the groups that the member's own telling points to.
    func seeds(of profile: MemberProfile) -> Seeds {
        let joined = recentGroups(profile)
        return Seeds(joined, hints(of: profile), factors: activityFactors(of: joined, profile))
    }

    /// Returns a factor for each joined group by the number n of the member's own photos in its pool.
    ///
    /// It is 1 + w ln(1 + n), where w is the weight that evidence chose, relative to the mean of all.
    ///
    /// - Returns: none if all have the same factor.
    private func activityFactors(of joined: [UInt32], _ profile: MemberProfile) -> [Double] {
        guard let evidence = configuration.evidence.first(where: { $0.kind == .photos }), evidence.weight > 0
        else { return [] }
        var factors = [Double](repeating: 1, count: joined.count)
        for hint in profile.hints where hint.kind == .photos {
            let place = joined.indices.partitioningIndex { joined[$0] >= hint.group }
            guard place < joined.count, joined[place] == hint.group else { continue }
            factors[place] += evidence.weight * Double(hint.units) / evidence.unit
        }
        let mean = factors.reduce(0, +) / Double(max(1, factors.count))
        return mean > 1 ? factors.map { $0 / mean } : []
    }

    /// Returns the weights of all kinds of evidence.
    ///
    /// A kind that the version says nothing of has the usual weight: nobody had told anything of it.
    static func evidence(
        _ stated: [Manifest.EvidenceWeight], _ relations: RelationTable, in model: VisibleModel
    ) -> [Manifest.EvidenceWeight] {
        EvidenceKind.allCases.map { kind in
            stated.first { $0.kind == kind }
                ?? Manifest.EvidenceWeight(
                    kind, weight: HintFormula.usualWeight(of: kind),
                    unit: HintFormula.unit(of: kind, sizes: relations.sizes(in: kind.sizeRole, model)))
        }
    }

    /// Returns the hint of the member that suggested each group of a list; nil if none did.
    package func hints(for items: some Collection<PlanItem>, of profile: MemberProfile) -> [ScoredHint?] {
        let hints = Dictionary(uniqueKeysWithValues: hints(of: profile).map { ($0.group, $0) })
        return items.map { $0.origin == .personal || $0.score > 0 ? hints[$0.group] : nil }
    }
}
