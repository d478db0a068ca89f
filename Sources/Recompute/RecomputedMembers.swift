import Basics
import CatalogStore
import Model
import ModelStore
import Recommendation

/// The members of a version, as a recompute publishes them, or what follows an import publishes them anew.
///
/// Their values are encoded as they are read, except for hints: tens of millions of memberships with times would take
/// several times the memory. Hints are found when a member is written.
struct RecomputedMembers: MemberSource {
    /// The encoded values of some users, without hints.
    private struct Part: Sendable {
        let users: Range<Int>
        /// The start of each value, and the end of the last one; a user without a value is not published.
        var starts: [UInt32] = [0]
        var bytes: [UInt8] = []
    }

    private let ids: PackedTexts
    private let coding: MemberCoding
    /// The groups that the users' favourites, follows and own photos point to.
    private let hints: any HintSource
    /// The groups that their lists offered.
    let reach: ListReach
    /// The values, in the order of the users' rows; all parts but the last have as many users.
    private let parts: [Part]
    private let usersPerPart: Int
    /// The rows of the users to publish.
    private let rows: [UInt32]

    var userCount: Int { rows.count }

    func id(ofUser number: Int) -> ArraySlice<UInt8> { ids.bytes(at: Int(rows[number])) }

    func appendValue(ofUser number: Int, by coding: MemberCoding, to bytes: inout [UInt8]) -> Bool {
        precondition(coding == self.coding, "the members were encoded for another version")
        let row = Int(rows[number])
        let part = parts[row / usersPerPart]
        let place = row - part.users.lowerBound
        bytes.append(contentsOf: part.bytes[Int(part.starts[place])..<Int(part.starts[place + 1])])
        return coding.append(hints: hints.hints(ofUser: row), to: &bytes)
    }

    func prepare(_ numbers: ArraySlice<UInt32>) {
        let rows = numbers.map { Int(self.rows[Int($0)]) }
        for row in rows {
            ids.prefetchRange(at: row)
            let part = parts[row / usersPerPart]
            part.starts.span.prefetch(row - part.users.lowerBound..<row - part.users.lowerBound + 2)
        }
        for row in rows {
            ids.prefetchText(at: row)
            let part = parts[row / usersPerPart]
            let place = row - part.users.lowerBound
            part.bytes.span.prefetch(Int(part.starts[place])..<Int(part.starts[place + 1]))
        }
    }
}

extension RecomputedMembers {
    /// Reads and encodes the members of a version: the users with a group, feedback, a pause, interests or hints.
    ///
    /// - Parameters:
    ///   - hintsOf: returns the groups that the favourites, follows and own photos of users point to, by their ids.
    ///   - instant: the time of the reading, in Unix milliseconds.
    init(
        _ entries: any EntrySource, _ source: RelationSource, _ coding: MemberCoding,
        _ hintsOf: (PackedTexts) -> any HintSource, atMilliseconds instant: Int64
    ) throws(Failure) {
        let users = try entries.users()
        let hints = hintsOf(users.ids)
        var reach = ListReach(atMilliseconds: instant)
        let events = try MemberEvents.all(in: entries, atMilliseconds: instant, &reach)
        let (unlisted, arms) = (try entries.unlistedUsers(), try entries.shownArms())
        let latest = instant / 1000 + RelationSource.clockLeadSeconds
        parts = try entries.memberships(source) { memberships throws(Failure) in
            var part = Part(users: memberships.users)
            for row in memberships.users where row < users.ids.count && !users.ids.bytes(at: row).isEmpty {
                let joined = memberships[row].map { membership in
                    PublishedMember.Joined(group: membership.group, since: membership.seconds, latest: latest)
                }
                var member = PublishedMember(joined: joined)
                events[UInt32(row)]?.add(to: &member)
                member.feedback.interestBytes = users.interests.wellFormedBytes(at: row)
                member.feedback.interestsStamp = users.interestsStamps[UInt32(row)]
                if let arms = arms[UInt32(row)] { member.feedback.arms = arms }
                if member != PublishedMember() || hints.tells(user: row) {
                    member.feedback.isUnlisted = unlisted.contains(UInt32(row))
                    guard coding.appendWithoutHints(member, to: &part.bytes) else {
                        throw Failure(.badData, "\(users.ids[row]) is in a group twice: see \"coterie check\"")
                    }
                }
                while part.starts.count <= row - part.users.lowerBound { part.starts.append(part.starts.last ?? 0) }
                part.starts.append(UInt32(part.bytes.count))
            }
            while part.starts.count <= part.users.count { part.starts.append(part.starts.last ?? 0) }
            // The array grew by doubling.
            part.bytes = unsafe part.bytes.withUnsafeBufferPointer { unsafe Array($0) }
            return part
        }
        usersPerPart = max(1, parts.first?.users.count ?? 1)
        rows = parts.flatMap { part in
            part.users.indices.lazy.filter { row in
                part.starts[row - part.users.lowerBound] < part.starts[row - part.users.lowerBound + 1]
            }.map { UInt32($0) }
        }
        ids = users.ids
        (self.coding, self.hints, self.reach) = (coding, hints, reach)
    }
}

/// The groups that lists offered in the weeks of `GroupReach`; each member counts once for a group.
struct ListReach: Sendable {
    private let since: Int64
    private var offered: [UInt32: UInt32] = [:]
    private var opened: [UInt32: UInt32] = [:]

    /// - Parameter instant: the beginning of the recompute, in Unix milliseconds.
    init(atMilliseconds instant: Int64) { since = instant - Int64(GroupReach.weeks) * 7 * 86_400_000 }

    /// Reads the interactions of all members.
    init(_ entries: any EntrySource, atMilliseconds instant: Int64) throws(Failure) {
        self.init(atMilliseconds: instant)
        var reach = self
        try entries.forEachMember(impressionsSince: since) { _, interactions, _ in reach.count(interactions) }
        self = reach
    }

    /// Counts the interactions of a member.
    mutating func count(_ interactions: [Interaction]) {
        func groups(_ effect: Interaction.Effect) -> Set<UInt32> {
            var found: Set<UInt32> = []
            for interaction in interactions where interaction.effect == effect && interaction.atMilliseconds >= since {
                found.insert(interaction.group)
            }
            return found
        }
        let shown = groups(.impression)
        guard !shown.isEmpty else { return }
        for group in shown { offered[group, default: 0] += 1 }
        for group in groups(.click).intersection(shown) { opened[group, default: 0] += 1 }
    }

    /// Returns the reach of each group; empty if nothing is known.
    ///
    /// - Parameter joins: the joins of each group, or none if no join has a time.
    func groups(joins: [UInt32], groupCount: Int) -> [GroupReach] {
        guard !joins.isEmpty || !offered.isEmpty else { return [] }
        return (0..<groupCount).map { group in
            GroupReach(
                joins: joins.isEmpty ? 0 : joins[group], offered: offered[UInt32(group)] ?? 0,
                opened: opened[UInt32(group)] ?? 0)
        }
    }
}

/// The latest events of a member with each group, as far as a version tells of them.
struct MemberEvents: Sendable {
    private var left: [PublishedMember.Ended] = []
    private var feedback = PublishedMember.Feedback()

    /// Returns the events of all members who have any, by column; counts what they did with their lists.
    static func all(in entries: any EntrySource, atMilliseconds instant: Int64, _ reach: inout ListReach)
        throws(Failure) -> [UInt32: MemberEvents]
    {
        let usual = PlanConfiguration().feedback
        var found: [UInt32: MemberEvents] = [:]
        try entries.forEachMember(impressionsSince: usual.earliestImpression(atMilliseconds: instant)) {
            column, interactions, pause in
            reach.count(interactions)
            var events = MemberEvents(interactions, instant, usual.impressionHalfLifeDays)
            events.feedback.pause = pause
            if !events.left.isEmpty || events.feedback != PublishedMember.Feedback() { found[UInt32(column)] = events }
        }
        return found
    }

    /// Finds the latest events among a member's interactions.
    ///
    /// - Parameters:
    ///   - interactions: the interactions, in the order in which they were recorded.
    ///   - instant: the beginning of the recompute, in Unix milliseconds.
    ///   - halfLifeDays: the half-life of an impression.
    private init(_ interactions: [Interaction], _ instant: Int64, _ halfLifeDays: Double) {
        var state = MemberState()
        state.replay(interactions, atMilliseconds: instant, halfLifeDays: halfLifeDays)
        let profile = state.profile(ofUser: "")
        left = Self.ended(state.memberships)
        feedback.dismissals = profile.dismissals
        feedback.undismissed = Self.ended(state.dismissals)
        feedback.exposures = profile.exposures.filter {
            $0.impressions >= PublishedMember.Feedback.leastImpressions
        }
    }

    /// Returns the pairs that hold no more, in ascending order of the groups.
    private static func ended(_ pairs: [UInt32: PairState]) -> [PublishedMember.Ended] {
        pairs.filter { !$0.value.holds }.sorted { $0.key < $1.key }.map { group, state in
            PublishedMember.Ended(group: group, seconds: UInt32(clamping: state.seconds ?? 0))
        }
    }

    /// Adds the events to a member whose memberships are known; a membership is later than any leave before it.
    func add(to member: inout PublishedMember) {
        let joined = Set(member.joined.map(\.group))
        member.left = left.filter { !joined.contains($0.group) }
        member.feedback = feedback
    }
}

extension PublishedMember.Joined {
    /// Creates a membership; a time after the latest one is still to come, and counts as unknown.
    fileprivate init(group: UInt32, since seconds: Int64?, latest: Int64) {
        self.init(
            group: group, seconds: seconds.flatMap { $0 > latest ? nil : UInt32(clamping: $0) })
    }
}

extension PackedTexts {
    /// Returns the bytes of a text, mended if they are not UTF-8.
    fileprivate func wellFormedBytes(at index: Int) -> ArraySlice<UInt8> {
        let bytes = bytes(at: index)
        let isText = (try? UTF8Span(validating: bytes.span)) != nil
        return isText ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)[...]
    }
}
