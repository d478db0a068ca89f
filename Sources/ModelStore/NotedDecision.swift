package import Basics
package import Changes
package import Model

/// A decision of an operator, as the list of decisions has it.
///
/// It names no member: a member is the digest of an id, as in the ledger.
package struct NotedDecision: Codable, Sendable, Equatable {
    package enum Thing: String, Codable, Sendable, CaseIterable {
        case group, member, photo, version, experiment
    }

    package enum Action: String, Codable, Sendable, CaseIterable {
        case hide, unhide, curate, uncurate, rename, remove, forget, readmit, serve, pin, unpin, start, stop
        case removeFrom = "remove-from"
    }

    /// The place in the list, which never changes; empty for a decision that is not in it.
    package fileprivate(set) var id = ""
    package var atMilliseconds: Int64
    /// The name of the operator, without control characters.
    package let by: String
    package var action: Action
    package var thing: Thing
    /// The id of the thing, or a member's digest.
    package var name: String
    /// The state before and after, in words; nil if the action says all.
    package var before, after: String?

    private enum CodingKeys: String, CodingKey { case atMilliseconds, by, action, thing, name, before, after }

    package init(
        _ action: Action, _ thing: Thing, _ name: String, by operatorName: String, atMilliseconds: Int64,
        before: String? = nil, after: String? = nil
    ) {
        by = String(operatorName.unicodeScalars.filter { $0.properties.generalCategory != .control })
        (self.action, self.thing, self.name) = (action, thing, name)
        (self.atMilliseconds, self.before, self.after) = (atMilliseconds, before, after)
    }

    /// Returns the decision that a change is; nil for a change by a member, and for one that changes nothing.
    ///
    /// - Parameters:
    ///   - state: the hidden and curated groups before the change.
    ///   - digest: returns what stands for a member's id.
    package init?(
        _ change: Change, on state: SiteState, by operatorName: String, atMilliseconds now: Int64,
        digest: (String) -> String
    ) {
        self.init(.hide, .group, "", by: operatorName, atMilliseconds: now)
        switch change {
        case .member: return nil
        case .site(let change):
            var state = state
            switch change.action {
            case .hide: action = .hide
            case .unhide: action = .unhide
            case .curate: action = .curate
            case .uncurate: action = .uncurate
            }
            (name, before) = (change.groupID, state.words(change.action, ofGroup: change.groupID))
            _ = state.apply(change)
            after = state.words(change.action, ofGroup: name)
            if before == after { return nil }
        case .removal(let removal):
            switch removal.subject {
            case .member(let id, let withPhotos):
                (action, thing, name, after) = (.forget, .member, digest(id), withPhotos ? "with photos" : nil)
            case .account(let id): (action, thing, name) = (.remove, .member, digest(id))
            case .group(let id): (action, name) = (.remove, id)
            case .photo(let id): (action, thing, name) = (.remove, .photo, id)
            case .user(let id, let group, let table):
                (action, name, before) = (.removeFrom, group, "\(table): \(digest(id))")
            case .pooled(let id, let group, let table): (action, name, before) = (.removeFrom, group, "\(table): \(id)")
            }
        case .renaming(let change):
            let isGroup = change.subject == .group
            (action, thing) = (.rename, isGroup ? .group : .member)
            (name, after) = isGroup ? (change.oldID, change.newID) : (digest(change.oldID), digest(change.newID))
        }
    }

    /// Whether there may be so many of the kind that they must leave room for others.
    fileprivate var isFrequent: Bool { thing == .member || thing == .photo || action == .removeFrom }

    fileprivate func isAbout(_ thing: Thing, _ name: String) -> Bool {
        // A member is behind the table that the group's removal names.
        if thing == .member, action == .removeFrom { return before?.hasSuffix(": \(name)") == true }
        guard self.thing == thing else { return false }
        let names = action == .rename || action == .serve ? [self.name, before, after] : [self.name]
        return names.contains { $0?.hasSameBytes(as: name) == true }
    }
}

extension SiteState {
    /// Returns what an action may change of a group, in words.
    package func words(_ action: SiteChange.Action, ofGroup id: String) -> String {
        switch action {
        case .hide, .unhide: hidden[BytewiseString(id)] == nil ? "shown" : "hidden"
        case .curate, .uncurate: Curation.words(curations.first { $0.groupID.hasSameBytes(as: id) })
        }
    }
}

extension Curation {
    /// Returns the position and the dates of a group in words; nil stands for one that is not curated.
    package static func words(_ curation: Curation?) -> String {
        guard let curation else { return "not curated" }
        let dates = [("from", curation.startsAt), ("until", curation.expiresAt)].compactMap { word, seconds in
            seconds.flatMap(UnixTime.init).map { " \(word) \($0)" }
        }
        return "at \(curation.position)\(dates.joined())"
    }
}

/// The decisions of the operators of a store, of the last year.
///
/// They are on a board of the store, because not all go through the log of changes, which is also trimmed early. An
/// entry of the board has the decisions of a week, each on a line of its own.
package struct DecisionList {
    /// The time for which a decision is listed, in milliseconds.
    private static let lifetime: Int64 = 365 * 86_400_000
    private static let week: Int64 = 7 * 86_400_000
    /// The weeks before a page of the list that are read first; the others are read if these do not fill it.
    private static let latestWeeks: Int64 = 4

    private let board: any DaemonBoard

    /// Returns nil for a store without boards.
    package init?(_ store: any VersionStore) {
        guard let board = store.board(of: .decisions) else { return nil }
        self.board = board
    }

    /// Adds a decision.
    ///
    /// - Throws: `Failure`; `.general` if there is no room for more of its kind and week.
    package func add(_ decision: NotedDecision) throws(Failure) {
        // A line that a loss of power has cut does not spoil the next one.
        try board.append(
            [UInt8(ascii: "\n")] + Self.json(decision), to: "\(decision.atMilliseconds / Self.week)",
            limit: BoardKind.decisions.byteLimit / (decision.isFrequent ? 2 : 1))
    }

    /// Returns decisions, the newest first.
    ///
    /// - Parameters:
    ///   - thing: the thing that they are about, with its id or digest; nil for all.
    ///   - id: the place of a decision; those before it are returned, also if it is not listed any more.
    ///   - now: the time, in Unix milliseconds.
    package func decisions(
        about thing: (NotedDecision.Thing, name: String)? = nil, before id: String? = nil, limit: Int = .max,
        at now: Int64
    ) throws(Failure) -> [NotedDecision] {
        let end = id?.split(separator: "-").compactMap { Int64($0) } ?? []
        // Other words may be before the name in a text.
        let name = thing.map { Self.json($0.name).dropFirst() }
        let last = end.first ?? .max
        let lately = min(last, now / Self.week) - Self.latestWeeks
        var found: [NotedDecision] = []
        // The ids of entries are numbers of weeks, which have four digits until the year 2161. Few entries have the
        // name of a thing, and only these are decoded.
        for isLate in [true, false] {
            let entries = try board.reports { Int64($0).map { $0 <= last && ($0 > lately) == isLate } ?? false }
            for entry in entries.reversed() where name.map(entry.contains) ?? true {
                for (number, line) in entry.split(separator: UInt8(ascii: "\n")).enumerated().reversed() {
                    // A line of a later program that cannot be read is left out.
                    guard var decision = try? JSON.decoded(NotedDecision.self, from: line) else { continue }
                    let place = [decision.atMilliseconds / Self.week, Int64(number)]
                    guard now - decision.atMilliseconds < Self.lifetime, thing.map(decision.isAbout) ?? true,
                        end.isEmpty || place.lexicographicallyPrecedes(end)
                    else { continue }
                    decision.id = "\(place[0])-\(number)"
                    found.append(decision)
                    if found.count == limit { return found }
                }
            }
        }
        return found
    }

    private static func json(_ value: some Encodable) -> [UInt8] {
        guard let json = try? JSON.encoded(value) else { preconditionFailure("a decision has only numbers and texts") }
        return json
    }
}
