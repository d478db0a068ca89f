import Basics
import Model
import Recommendation
import SQLite

/// A search for the members whose taste is like that of one member, in a bounded number of rows.
///
/// Members who are not `listed` count for nobody, and neither do hidden groups. Rows are read in the order of keys, the
/// last first, so that the same catalog gives the same result.
struct TasteSearch {
    /// Another member, as far as it is known.
    struct Other {
        var id: String
        /// Whether the member agreed to be shown to others.
        var isListed: Bool
        /// The keys of the shown groups that both are in, ascending.
        var sharedGroups: [Int64] = []
        /// The similarity of each kind, before kinds are added.
        var similarities: [SharedKind: Double] = [:]
    }

    let database: ReadingDatabase
    let kind: ToldKind
    let request: TasteRequest
    /// The member's key; nil if the catalog does not know the member.
    let user: Int64?
    /// The member's things of each kind by their keys, with the weight of each.
    private(set) var own: [SharedKind: [Int64: Double]] = [:]
    private(set) var groupOfKey: [Int64: UInt32] = [:]
    private let planner: Planner
    private var rowsLeft = 0

    init(_ catalog: Facts, _ kind: ToldKind, _ request: TasteRequest, for planner: Planner)
        throws(Failure)
    {
        database = catalog.database
        (self.kind, self.request, self.planner) = (kind, request, planner)
        user = try catalog.key(of: request.userID, in: .users)
        let tables = catalog.relations
        for told in ToldKind.allCases where tables.memberTables.contains(told.source) {
            let entries = try catalog.entries(
                ofUser: user, request.told.filter { $0.kind == told }, told.source)
            own[told.shared] = Dictionary(uniqueKeysWithValues: entries.suffix(TasteFormula.ownLimit).map { ($0, 0) })
        }
        for member in request.removed.members where own[.follows]?.isEmpty == false {
            if let key = try catalog.key(of: member.text, in: .users) { own[.follows]?[key] = nil }
        }
        var groups: [Int64: Double] = [:]
        for group in request.joined {
            guard let key = try catalog.key(of: planner.model.id(of: Int(group)), in: .groups) else { continue }
            let size = planner.configuration.relations.size(of: group, .follows, planner.model)
            groups[key] = TasteFormula.weight(sharedBy: Int(size))
            groupOfKey[key] = group
        }
        own[.memberships] = groups
    }

    /// Whether the member told of a thing, and it is among the last ones.
    func owns(_ key: Int64) -> Bool { own[kind.shared]?[key] != nil }

    /// Whether the member told of a thing, which need not be among the last ones.
    ///
    /// - Parameter changed: what the member told since the catalog was written, by external id.
    func hasTold(_ key: Int64, _ id: String, _ changed: [BytewiseString: Bool]) throws(Failure) -> Bool {
        if let holds = changed[BytewiseString(id)] { return holds }
        guard let user else { return false }
        let source = kind.source
        let row = try database.prepare(
            "SELECT 1 FROM \(source.table) WHERE user_key = ?1 AND \(source.entryColumn) = ?2", user, key)
        return try row.step()
    }

    /// Returns the members of like taste by their keys, with their similarities, which may be 0.
    mutating func others() throws(Failure) -> [Int64: Other] {
        var sums: [SharedKind: [Int64: Double]] = [:]
        for shared in SharedKind.allCases where kind.weight(of: shared) > 0 { sums[shared] = try sharers(shared) }
        var total: [Int64: Double] = [:]
        for shared in SharedKind.allCases {
            let weight = kind.weight(of: shared)
            for (key, sum) in TasteFormula.normalized(sums[shared] ?? [:]) { total[key, default: 0] += weight * sum }
        }
        let compared = total.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(TasteFormula.comparedLimit)
        return try others(compared.map(\.key), sums)
    }

    /// Returns what is known of members, without those who count for nobody and those who are not known any more.
    ///
    /// - Parameter sums: the sums of the weights of shared things that were read.
    mutating func others(_ keys: [Int64], _ sums: [SharedKind: [Int64: Double]] = [:]) throws(Failure)
        -> [Int64: Other]
    {
        var found: [Int64: Other] = [:]
        let row = try database.prepare("SELECT user_id, listed FROM users WHERE user_key = ?")
        rowsLeft = TasteFormula.rowLimit
        for key in keys {
            row.bind(key, at: 1)
            defer { row.reset() }
            guard try row.step(), row.optionalInteger(1) != 0 else { continue }
            var other = Other(id: row.text(0), isListed: row.integer(1) == 1)
            guard !request.removed.members.contains(BytewiseString(other.id)) else { continue }
            for shared in [SharedKind.favourites, .follows] {
                guard let sum = sums[shared]?[key] else { continue }
                let degree = try count(
                    "SELECT 1 FROM \(shared.source.table) WHERE user_key = ?1 LIMIT ?2", key, TasteFormula.toldLimit)
                other.similarities[shared] = TasteFormula.similarity(sum, degree: degree)
            }
            // Each group is a look-up of its own. Contacts need all that both are in; photos, those that were read.
            if kind == .follows || sums[.memberships]?[key] != nil { try addGroups(to: &other, key) }
            found[key] = other
        }
        return found
    }

    /// Returns the similarity of each member, with all kinds added.
    func similarities(_ others: [Int64: Other]) -> [Int64: Double] {
        var total: [Int64: Double] = [:]
        for shared in SharedKind.allCases {
            let weight = kind.weight(of: shared)
            guard weight > 0 else { continue }
            let values = TasteFormula.normalized(others.compactMapValues { $0.similarities[shared] })
            for (key, value) in values { total[key, default: 0] += weight * value }
        }
        return total.filter { $0.value > 0 }
    }

    /// Returns what the most similar members told of, by key: the sum of their similarities, and their number.
    ///
    /// The things that the member told of, and the member, are left out.
    func told(by similarities: [Int64: Double]) throws(Failure) -> [Int64: (sum: Double, members: Int)] {
        let source = kind.source
        let like = similarities.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.prefix(TasteFormula.likeLimit)
        let rows = try database.prepare(
            """
            SELECT \(source.entryColumn) FROM \(source.table) WHERE user_key = ?1
            ORDER BY \(source.entryColumn) DESC LIMIT ?2
            """)
        var found: [Int64: (sum: Double, members: Int)] = [:]
        for (member, similarity) in like {
            rows.bind(member, TasteFormula.toldLimit)
            while try rows.step() {
                let key = rows.integer(0)
                guard !owns(key), kind == .favourites || key != user else { continue }
                let known = found[key] ?? (0, 0)
                found[key] = (known.sum + similarity, known.members + 1)
            }
        }
        return found
    }

    /// Returns the score of what members of like taste told of: it is lower if everybody did.
    ///
    /// Only the candidates with the greatest sums are counted.
    func scores(_ told: [Int64: (sum: Double, members: Int)]) throws(Failure) -> [Int64: Double] {
        let source = kind.source
        let best = told.sorted { ($0.value.sum, $0.key) > ($1.value.sum, $1.key) }.prefix(TasteFormula.candidateLimit)
        var scores: [Int64: Double] = [:]
        for (key, value) in best {
            let members = try count(
                "SELECT 1 FROM \(source.table) WHERE \(source.entryColumn) = ?1 LIMIT ?2", key,
                TasteFormula.popularityLimit)
            scores[key] = value.sum * TasteFormula.factor(toldBy: members)
        }
        return TasteFormula.normalized(scores)
    }

    private func count(_ rows: String, _ key: Int64, _ limit: Int) throws(Failure) -> Int {
        Int(try database.integer("SELECT count(*) FROM (\(rows))", key, Int64(limit)) ?? 0)
    }

    /// Adds up the weights of the member's things, by the other members who share them.
    private mutating func sharers(_ shared: SharedKind) throws(Failure) -> [Int64: Double] {
        guard let things = own[shared], !things.isEmpty else { return [:] }
        let source = shared.source
        let column = shared == .memberships ? source.rowColumn : source.entryColumn
        let rows = try database.prepare(
            "SELECT user_key FROM \(source.table) WHERE \(column) = ?1 ORDER BY user_key DESC LIMIT ?2")
        // Rare groups tell most; the last favourites and follows are of today.
        let order =
            shared == .memberships
            ? things.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map(\.key) : things.keys.sorted(by: >)
        var left = TasteFormula.rowLimit
        var sums: [Int64: Double] = [:]
        for thing in order where left > 0 {
            rows.bind(thing, Int64(shared == .memberships ? left : min(left, TasteFormula.sharerLimit)))
            var members: [Int64] = []
            while try rows.step() { members.append(rows.integer(0)) }
            left -= members.count
            // A group's weight is known; that of a photo is of the members who were read.
            let weight =
                shared == .memberships ? things[thing] ?? 0 : TasteFormula.weight(sharedBy: members.count)
            for member in members where member != user { sums[member, default: 0] += weight }
        }
        return sums
    }

    /// Adds the groups that a member shares, all that there are, and the similarity by groups.
    private mutating func addGroups(to other: inout Other, _ key: Int64) throws(Failure) {
        guard let mine = own[.memberships], !mine.isEmpty, rowsLeft > 0 else { return }
        let rows = try database.prepare(
            """
            SELECT group_key FROM memberships JOIN groups USING (group_key)
            WHERE user_key = ?1 AND \(CatalogSchema.isShown) ORDER BY group_key LIMIT ?2
            """, key, Int64(min(rowsLeft, TasteFormula.groupLimit)))
        var (sum, degree) = (0.0, 0)
        while try rows.step() {
            degree += 1
            guard let weight = mine[rows.integer(0)] else { continue }
            other.sharedGroups.append(rows.integer(0))
            sum += weight
        }
        rowsLeft -= degree
        if sum > 0 { other.similarities[.memberships] = TasteFormula.similarity(sum, degree: degree) }
    }
}

extension ToldKind {
    /// The kind of what members share who told of the same things.
    var shared: SharedKind {
        switch self {
        case .favourites: .favourites
        case .follows: .follows
        }
    }
}

/// The photos that a member may like, looked up and scored.
struct PhotoCandidates {
    private let catalog: Facts
    private let search: TasteSearch
    private let planner: Planner
    /// The weight of each fitting group.
    private let weights: [UInt32: Double]
    /// The newest photos of fitting groups, with the weight that was found for each.
    private var pooled: [Int64: Double] = [:]
    private let changed: [BytewiseString: Bool]

    init(_ catalog: Facts, _ search: TasteSearch, _ planner: Planner) throws(Failure) {
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
            rows.bind(model.id(of: Int(group)), TasteFormula.poolLimit)
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
            """, key)
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
            """, key)
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
