package import Basics
package import Model
package import Recommendation
import SQLite

extension Facts {
    /// Returns the hints of a member, in the order of the kinds, then of the groups.
    ///
    /// Only public photos, shown groups and members who may be listed count. Kinds that no list uses are not read. Of
    /// a member with many favourites or follows, only `HintFormula.entryLimit` of a kind are read.
    ///
    /// - Parameter told: favourites and follows, with the end of others, that the catalog may lack.
    package func hints(ofUser id: String, for planner: Planner, after told: [ToldChange] = []) throws(Failure)
        -> [GroupHint]
    {
        let (model, tables) = (planner.model, relations)
        let wanted = planner.configuration.evidence.filter { evidence in
            evidence.weight > 0 && (evidence.kind.source.map(tables.memberTables.contains) ?? true)
        }
        guard !wanted.isEmpty else { return [] }
        let user = try key(of: id, in: .users)
        var hints: [GroupHint] = []
        for evidence in wanted {
            let entries =
                if let source = evidence.kind.source {
                    try entries(ofUser: user, told.filter { $0.kind.source == source }, source)
                } else { try newestPhotos(ofUser: user) }
            let rows = try database.prepare(evidence.kind.groupsOfEntry)
            let groups = try entries.map { entry throws(Failure) in
                rows.bind(entry, at: 1)
                var groups: [UInt32] = []
                // A version may be older than a group.
                while try rows.step() {
                    if let group = model.index(ofID: rows.text(0)) { groups.append(UInt32(group)) }
                }
                return groups
            }
            let sizes = { (group: UInt32) in planner.configuration.relations.size(of: group, evidence.kind, model) }
            let found =
                switch evidence.kind {
                case .favourites:
                    HintFormula.hints(ofPhotosIn: groups, groupCount: model.groupCount, sizes: sizes)
                case .follows: HintFormula.hints(ofMembersIn: groups, sizes: sizes)
                case .photos: HintFormula.hints(ofOwnPhotosIn: groups)
                }
            hints += found
        }
        return hints
    }

    /// Returns the highest keys of a member's public photos.
    private func newestPhotos(ofUser user: Int64?) throws(Failure) -> [Int64] {
        guard let user else { return [] }
        let rows = try database.prepare(
            "SELECT photo_key FROM photos WHERE user_key = ?1 AND visibility = 0 ORDER BY photo_key DESC LIMIT ?2",
            user, HintFormula.photoLimit)
        return try rows.map { $0.integer(0) }
    }

    /// Returns the highest keys of the photos that a member likes, or of the members whom a member follows; nobody
    /// follows themselves.
    func entries(ofUser user: Int64?, _ told: [ToldChange], _ source: RelationSource) throws(Failure)
        -> [Int64]
    {
        var found: Set<Int64> = []
        if let user {
            let (table, entry) = (source.table, source.entryColumn)
            // The recompute does not read private photos either.
            let isRead =
                source.entityTable.hasVisibility
                ? "AND EXISTS (SELECT 1 FROM photos WHERE photo_key = \(table).photo_key AND visibility = 0)" : ""
            let rows = try database.prepare(
                "SELECT \(entry) FROM \(table) WHERE user_key = ?1 \(isRead) ORDER BY \(entry) DESC LIMIT ?2", user,
                HintFormula.entryLimit)
            while try rows.step() { found.insert(rows.integer(0)) }
        }
        for change in told {
            guard let entry = try key(of: change.subjectID, in: source.entityTable),
                try user.map({ user throws(Failure) in
                    try PairEvents.isLatest(change, of: (user, entry), source, database)
                }) ?? true
            else { continue }
            if change.adds { found.insert(entry) } else { found.remove(entry) }
        }
        let counted = found.sorted().suffix(HintFormula.entryLimit)
        return source.entityTable == .users ? counted.filter { $0 != user } : Array(counted)
    }

    /// Returns public photos that a member may like, best first.
    ///
    /// They are photos that members of like taste like, and photos of groups that fit the member. Each is in the pool
    /// of a shown group. The member's own photos and favourites are left out.
    package func photos(for request: TasteRequest, planner: Planner) throws(Failure) -> [TastePhoto] {
        try snapshot { () throws(Failure) in
            var search = try TasteSearch(self, .favourites, request, for: planner)
            let told = try search.told(by: search.similarities(search.others()))
            let reader = try PhotoCandidates(self, search, planner)
            return try reader.photos(told, search.scores(told))
        }
    }

    /// Returns members whom a member may want to know, best first.
    ///
    /// They agreed to be shown, and share a shown group with the member. Members whom the member follows are left out.
    package func contacts(for request: TasteRequest, planner: Planner) throws(Failure) -> [TasteContact] {
        try snapshot { () throws(Failure) in
            var search = try TasteSearch(self, .follows, request, for: planner)
            var others = try search.others()
            let told = try search.scores(search.told(by: search.similarities(others)))
            let missing = told.keys.filter { others[$0] == nil }.sorted(by: >)
            others.merge(try search.others(missing)) { known, _ in known }
            let direct = TasteFormula.normalized(search.similarities(others))
            let changed = request.changed(.follows)
            var contacts: [TasteContact] = []
            for (key, other) in others where other.isListed && !other.sharedGroups.isEmpty && !search.owns(key) {
                if try search.hasTold(key, other.id, changed) { continue }
                let groups = other.sharedGroups.sorted {
                    (search.own[.memberships]?[$0] ?? 0, $1) > (search.own[.memberships]?[$1] ?? 0, $0)
                }
                contacts.append(
                    TasteContact(
                        id: other.id, sharedGroups: groups.compactMap { search.groupOfKey[$0] },
                        score: (told[key] ?? 0) + ToldKind.follows.directWeight * (direct[key] ?? 0)))
            }
            return contacts.sorted { one, other in
                one.score != other.score
                    ? one.score > other.score : one.id.utf8.lexicographicallyPrecedes(other.id.utf8)
            }
        }
    }
}

extension EvidenceKind {
    /// The SQL that returns the shown groups of the photo or the member `?1`; none if it may not count.
    fileprivate var groupsOfEntry: String {
        switch self {
        case .favourites, .photos:
            """
            SELECT group_id FROM photos JOIN pools USING (photo_key) JOIN groups USING (group_key)
            WHERE photo_key = ?1 AND photos.visibility = 0 AND \(CatalogSchema.isShown)
            """
        case .follows:
            """
            SELECT group_id FROM users JOIN memberships USING (user_key) JOIN groups USING (group_key)
            WHERE user_key = ?1 AND listed IS NOT 0 AND \(CatalogSchema.isShown)
            """
        }
    }
}
