import Basics
import CatalogStore
import Changes
import CommandLine
import Model
import ModelStore
import Recommendation
import Service

/// A version with the site's present decisions, and the members and photos, as a command reads them.
///
/// Decisions come from the catalog, or from the store if there is no catalog. The journal beside the catalog, or the
/// streams of a shared store, have what the catalog has not taken.
struct Site {
    let version: LoadedVersion
    /// The catalog, if there is one; another thread needs another connection.
    var catalog: Facts?
    /// The version as the site shows it.
    let snapshot: VisibleSnapshot
    /// The members of the version, if profiles are read from there.
    let members: PublishedMembers?
    /// The changes that neither the catalog nor the version has; `nil` without a catalog and a shared store.
    let untaken: UntakenChanges?
    /// The photos, members and entries that were removed, and that the catalog still has.
    let removed: RemovedThings
    /// The changes that were taken when the streams were read; nil for what the catalog has at each moment.
    private let knownTaken: AppliedChanges?
    /// The hidden and curated groups.
    let state: SiteState
    /// The groups of versions that are not public any more, as the store says; nil with a catalog, which knows them.
    private let withdrawn: WithdrawnGroups?
    private let parsed: ParsedCommand

    /// The groups of the version that the site shows.
    var model: VisibleModel { snapshot.model }

    /// Reads the version, the decisions, and the changes of members.
    ///
    /// - Parameters:
    ///   - wanted: the members about whom the command asks; `nil` for a command about groups and photos alone.
    ///   - needsCatalog: whether the command cannot do without a catalog.
    init(_ parsed: ParsedCommand, of wanted: UntakenChanges.Members? = nil, needsCatalog: Bool = false) throws {
        self.parsed = parsed
        version = try parsed.loadVersion()
        let catalog = needsCatalog ? try parsed.openCatalog() : try parsed.openCatalogIfPresent()
        self.catalog = catalog
        let store = try parsed.openStore()
        let taken = try catalog?.appliedChanges() ?? version.manifest.taken
        // Members may have been published anew since.
        let known = catalog == nil ? version.manifest.membersState.taken : taken
        knownTaken = catalog != nil && store.shared == nil ? nil : known
        untaken = try UntakenChanges(
            of: store, besideCatalog: catalog?.path, beyond: taken, of: wanted ?? .none)
        removed = untaken?.removed ?? RemovedThings()
        let recorded = untaken?.decisions ?? RecordedDecisions()
        var decisions: SiteDecisions
        if let catalog {
            withdrawn = nil
            state = try SiteState(of: catalog, recorded)
            decisions = try SiteDecisions(of: catalog, in: version.model, recorded)
            if try catalog.groupRevision().removals > 0 {
                decisions.hidden.formUnion(try catalog.missingGroups(of: version.model))
            }
        } else {
            let site = try store.site()
            withdrawn = site?.withdrawn
            let published = PublishedDecisions(site, recorded)
            state = published.state
            decisions = published.decisions(about: version.manifest, version.model)
        }
        let needsMembers = wanted != nil && (catalog == nil || version.manifest.hasOwnMembers)
        members = needsMembers ? try parsed.publishedMembers(version) : nil
        var usual = PlanConfiguration()
        usual.relations = Coterie.relations
        snapshot = VisibleSnapshot(
            version, decisions, members: members,
            planning: wanted == nil ? Planning(usual) : try parsed.planning())
    }

    /// Returns the reason why a group is not shown, or `nil` if it is shown or unknown.
    ///
    /// - Parameter record: the group in the catalog, if it is there.
    func concealment(of id: String, _ record: GroupRecord?) -> Concealment? {
        let reason = record.flatMap { Concealment($0.visibility) } ?? withdrawn?.reason(forGroup: id)
        if let reason { return reason }
        if record?.isHidden == true || state.hidden[BytewiseString(id)] != nil { return .hidden }
        return model.hides(id) ? .removed : nil
    }

    /// Returns the inputs of a member's list.
    ///
    /// - Throws: among others `Failure` if there is no such user; with a catalog of members, it suggests similar ids.
    func member(_ user: String, atMilliseconds instant: Int64, boosts: [Boost] = []) throws -> MemberContext {
        guard let profile = try profile(ofUser: user, in: snapshot, atMilliseconds: instant) else {
            guard members == nil, let catalog else {
                throw Failure(.badData, "there is no user \"\(user)\" in version \(version.manifest.version)")
            }
            throw Lookup.unknown(.users, user, near: try catalog.idsNear(user, in: .users))
        }
        return MemberContext(
            snapshot,
            PlanRequest(profile: profile, atMilliseconds: instant, seed: try parsed.planSeed(), boosts: boosts))
    }

    /// Answers a question as a route does, with the words of a command for what is refused.
    func answer<Answer>(_ body: (CommunityAnswers) throws(AnswerError) -> Answer) throws -> Answer {
        do throws(AnswerError) { return try body(CommunityAnswers(snapshot, self)) } catch {
            switch error {
            case .reading(let error): throw error
            case .unknownPhoto(let id): throw try Lookup.unknownPhoto(id, catalog)
            case .unknownGroup(let id): throw try Lookup.unknownGroup(id, self)
            case .noVectors(let message): throw Failure(.badData, message)
            case .badValue(let option, let complaint): throw Failure(.badData, "--\(option) \(complaint)")
            }
        }
    }
}

extension Site: CommunityReader {
    func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Failure) -> Result? {
        try catalog.map(body)
    }

    func taken(in snapshot: VisibleSnapshot) throws(Failure) -> AppliedChanges {
        if let knownTaken { return knownTaken }
        return try read { catalog throws(Failure) in try catalog.appliedChanges() } ?? .none
    }

    func recentChanges(ofUser id: String, beyond taken: AppliedChanges) throws(Failure) -> RecentMemberChanges? {
        guard let found = try untaken?.recentChanges(ofUser: id, beyond: taken) else { return nil }
        // Changes of a forgotten member bring nobody back.
        let isForgotten = try read { catalog throws(Failure) in try catalog.isForgotten(user: id) }
        return isForgotten == true ? .ofForgotten : found
    }

    func concealment(ofGroup id: String, in model: VisibleModel) throws(Failure) -> Concealment? {
        concealment(of: id, try read { catalog throws(Failure) in try catalog.group(withID: id) } ?? nil)
    }
}

extension ParsedCommand {
    /// Returns the members published with a version.
    ///
    /// - Throws: among others `Failure` if there are none.
    fileprivate func publishedMembers(_ version: LoadedVersion) throws -> PublishedMembers {
        let store = try openStore()
        if let members = try store.members(of: version) { return members }
        throw Failure(
            .badData,
            """
            there is no catalog at \(text("catalog")), and version \(version.manifest.version) in \(store.location) was \
            published without members: name the catalog, or recompute with --members
            """)
    }
}
