package import Basics
import Model
package import Recommendation
import SQLite

extension Catalog {
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

/// The photos that a member may like, looked up and scored.
private struct PhotoCandidates {
    private let catalog: Catalog
    private let search: TasteSearch
    private let planner: Planner
    /// The weight of each fitting group.
    private let weights: [UInt32: Double]
    /// The newest photos of fitting groups, with the weight that was found for each.
    private var pooled: [Int64: Double] = [:]
    private let changed: [BytewiseString: Bool]

    init(_ catalog: Catalog, _ search: TasteSearch, _ planner: Planner) throws(Failure) {
        (self.catalog, self.search, self.planner) = (catalog, search, planner)
        let (relations, model) = (planner.configuration.relations, planner.model)
        let fitting = search.request.fitting.prefix(TasteFormula.fittingLimit).map { fitting in
            let size = relations.size(of: fitting.group, .favourites, model)
            return (fitting.group, TasteFormula.weight(ofGroupWithFit: fitting.fit, size: size))
        }
        weights = Dictionary(fitting, uniquingKeysWith: { first, _ in first })
        changed = search.request.changed(.favourites)
        let rows = try catalog.database.prepare(
            """
            SELECT photo_key FROM pools
            WHERE group_key = (SELECT group_key FROM groups WHERE group_id = ?1 AND \(CatalogSchema.isShown))
            ORDER BY photo_key DESC LIMIT ?2
            """)
        for (group, weight) in fitting {
            rows.bind(model.id(of: Int(group)), at: 1)
            rows.bind(Int64(TasteFormula.poolLimit), at: 2)
            while try rows.step() { pooled[rows.integer(0), default: 0] += weight }
        }
    }

    /// Returns the photos with the greatest scores, best first.
    func photos(_ told: [Int64: (sum: Double, members: Int)], _ scores: [Int64: Double]) throws(Failure)
        -> [TastePhoto]
    {
        var sums = TasteFormula.normalized(pooled).mapValues { $0 * ToldKind.favourites.directWeight }
        sums.merge(scores) { $0 + $1 }
        let best = sums.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        var found: [(photo: TastePhoto, key: Int64, direct: Double)] = []
        var tried = 0
        for (key, _) in best where !search.owns(key) {
            tried += 1
            guard tried <= 2 * TasteFormula.candidateLimit, found.count < TasteFormula.candidateLimit else { break }
            guard let photo = try photo(key, admirers: told[key]?.members ?? 0, score: scores[key] ?? 0) else {
                continue
            }
            found.append((photo, key, photo.groups.reduce(0) { $0 + (weights[$1] ?? 0) }))
        }
        let greatest = found.map(\.direct).max() ?? 0
        for index in found.indices where greatest > 0 {
            found[index].photo.score += ToldKind.favourites.directWeight * found[index].direct / greatest
        }
        return found.filter { $0.photo.score > 0 }
            .sorted { ($0.photo.score, $0.photo.admirers, $0.key) > ($1.photo.score, $1.photo.admirers, $1.key) }
            .map(\.photo)
    }

    /// Returns a photo if it may be shown to the member.
    private func photo(_ key: Int64, admirers: Int, score: Double) throws(Failure) -> TastePhoto? {
        let removed = search.request.removed
        let row = try catalog.database.prepare(
            """
            SELECT photo_id, user_id, listed, width, height FROM photos LEFT JOIN users USING (user_key)
            WHERE photo_key = ?1 AND photos.visibility = 0 AND photos.user_key IS NOT ?2
            """)
        row.bind(key, at: 1)
        // No photo has the owner 0.
        row.bind(search.user ?? 0, at: 2)
        guard try row.step() else { return nil }
        let (id, owner) = (row.text(0), row.optionalText(1))
        guard !removed.hides(id, of: owner), try !search.hasTold(key, id, changed) else { return nil }
        let groups = try groups(key, id)
        guard !groups.isEmpty else { return nil }
        let isForgotten = owner.map { removed.members.contains(BytewiseString($0)) } == true
        return TastePhoto(
            id: id, ownerID: owner, namesOwner: owner != nil && !isForgotten && row.optionalInteger(2) != 0,
            width: row.optionalInteger(3),
            height: row.optionalInteger(4), groups: groups, admirers: admirers, score: score)
    }

    /// Returns the shown groups whose pools have a photo, ascending.
    private func groups(_ key: Int64, _ id: String) throws(Failure) -> [UInt32] {
        let rows = try catalog.database.prepare(
            """
            SELECT group_id FROM pools JOIN groups USING (group_key)
            WHERE photo_key = ?1 AND \(CatalogSchema.isShown) LIMIT \(TasteFormula.groupLimit)
            """)
        rows.bind(key, at: 1)
        var groups: [UInt32] = []
        while try rows.step() {
            let group = rows.text(0)
            guard let index = planner.model.index(ofID: group),
                !search.request.removed.hides(id, in: group)
            else { continue }
            groups.append(UInt32(index))
        }
        return groups.sorted()
    }
}
