import Basics
import CatalogStore
import Model
import Recommendation

/// A group as operators see it: they may learn of those that nobody is shown.
struct OperatorGroup {
    let id: String
    let title: String
    /// The index in the version that serves, or nil if the version lacks the group.
    let index: Int?
    /// The reason why nobody is shown the group, or nil if it is shown or comes with the next version.
    let concealment: Concealment?

    /// Whether members are shown the group.
    var isShown: Bool { index != nil && concealment == nil }

    /// The reason why nobody is shown the group, in words; nil if it is shown.
    var reason: String? {
        switch concealment {
        case .hidden: "an administrator hid it, so nobody is shown it"
        case .private: "it is private, so nobody is shown it until a file of groups says otherwise"
        case .undescribed: "no file of groups describes it any more, so nobody is shown it"
        case .removed: "it was removed, or has another id now"
        case nil: isShown ? nil : "this version lacks it, and the next one has it"
        }
    }

    /// The state as cells of tables have it; empty for groups that are shown.
    var state: HTML { isShown ? "" : "<span class=\"bad\">\(concealment?.rawValue ?? "new")</span>" }
}

/// The groups that operators see: those of the version that serves, and those that it lacks.
struct OperatorGroups {
    /// The most concealed groups that pages list beside those of the version; each of the others has its page.
    private static let concealedLimit = 10_000

    /// All groups of the version.
    let all: VisibleModel
    private let call: Call
    private let shown: VisibleModel
    private let site: PublishedSite
    /// The hidden and curated groups, as far as this daemon knows.
    let state: SiteState
    /// The groups that were removed, and that the catalog still has.
    private let gone: Set<BytewiseString>

    init(_ call: Call) throws(Problem) {
        self.call = call
        (all, shown, site) = (
            VisibleModel(try call.loadedSnapshot.model), try call.snapshot.model, call.state.site ?? PublishedSite()
        )
        let (community, site) = (call.responder.community, site)
        state = try call.reading { () throws(Failure) in try community?.siteState() ?? SiteState(site) }
        gone = community?.removed.groups ?? []
    }

    /// Returns a group, or nil if there is none with the id.
    func group(_ id: String) throws(Problem) -> OperatorGroup? {
        if let index = all.index(ofID: id) { return try group(at: index) }
        let record = try read { catalog throws(Failure) in try catalog.group(withID: id) }
        return absent(id, record ?? nil)
    }

    /// Returns a group of the version.
    func group(at index: Int) throws(Problem) -> OperatorGroup {
        let id = all.id(of: index)
        let concealment = try call.reading { () throws(Failure) -> Concealment? in
            if shown.shows(UInt32(index)) { return nil }
            if gone.contains(BytewiseString(id)) { return .removed }
            return try call.responder.community?.concealment(ofGroup: id, in: shown) ?? .hidden
        }
        return OperatorGroup(id: id, title: all.title(of: index), index: index, concealment: concealment)
    }

    /// Returns the hidden, private and undescribed groups that the version lacks, in the order of their ids.
    func concealed() throws(Problem) -> [OperatorGroup] {
        let hidden = state.hiddenGroups.prefix(Self.concealedLimit).map(\.id)
        let found = try read { catalog throws(Failure) -> [(id: String, record: GroupRecord?)] in
            try hidden.map { id throws(Failure) in (id, try catalog.group(withID: id)) }
                + (try catalog.unshownGroups(limit: Self.concealedLimit)).map { ($0.id, $0) }
        }
        let withdrawn = site.withdrawn?.groupIDs.prefix(Self.concealedLimit) ?? []
        var seen: Set<BytewiseString> = []
        return (found ?? (hidden + withdrawn).map { ($0, nil) })
            .filter { all.index(ofID: $0.id) == nil && seen.insert(BytewiseString($0.id)).inserted }
            .compactMap { absent($0.id, $0.record) }.filter { $0.concealment != nil }
            .sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
    }

    /// Returns the groups whose id, title or topics have all words: first the one with this id, then the version's.
    func matching(_ words: String, limit: Int) throws(Problem) -> [OperatorGroup] {
        let (exact, others) = (try group(words), try concealed())
        let names = call.responder.pages.cache.names(of: try call.loadedSnapshot.version, in: all)
        let found = try names.matching(words, limit: limit).map { index throws(Problem) in try group(at: index) }
        let absent = SearchedNames(others.lazy.map { "\($0.id) \($0.title)" }).matching(words, limit: limit)
        let rest = (found + absent.map { others[$0] }).filter { !$0.id.hasSameBytes(as: words) }
        return Array(((exact.map { [$0] } ?? []) + rest).prefix(limit))
    }

    private func read<Result>(_ body: (Facts) throws(Failure) -> Result) throws(Problem) -> Result? {
        try call.reading { () throws(Failure) in try call.responder.community?.read(body) }
    }

    /// Returns a group that the version lacks, or nil if there is none.
    ///
    /// - Parameter record: the group in the catalog, if it is there.
    private func absent(_ id: String, _ record: GroupRecord?) -> OperatorGroup? {
        guard !gone.contains(BytewiseString(id)) else { return nil }
        let withdrawal = record.map { Concealment($0.visibility) } ?? site.withdrawn?.reason(forGroup: id)
        let concealment = withdrawal ?? (state.hidden[BytewiseString(id)] == nil ? nil : .hidden)
        guard record != nil || concealment != nil || site.hasNewGroup(id), concealment != .removed else { return nil }
        return OperatorGroup(id: id, title: record?.title ?? "", index: nil, concealment: concealment)
    }
}
