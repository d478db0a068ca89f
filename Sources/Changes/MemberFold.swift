import Basics
import Model
import Synchronization

/// The changes of a member that a version lacks, as far as a journal was read, without interactions that no longer
/// count.
///
/// The latest event of a pair replaces the others, by the rule of `PairState`; a click replaces the impressions that
/// arrived before it. Interactions arrive in the order of their stamps.
struct MemberFold {
    /// An interaction, and its place in the order of arrival.
    private struct Event {
        let record: InteractionRecord
        let stamp: ChangeStamp
        let place: Int

        static func precedes(_ one: Event, _ other: Event) -> Bool {
            (one.stamp, one.place) < (other.stamp, other.place)
        }
    }

    /// The number of the latest events that are not settled: others may still arrive between them.
    private static let unsettledEvents = 256
    /// The largest number of impressions of one group that count, without a click; the latest ones do.
    static let impressionLimit = 1000

    /// The changes that the version has.
    let taken: AppliedChanges
    /// The last row of the journal when it was read; rows after it are new.
    var last: (key: Int64, name: ChangeName)?

    /// All interactions, because a deletion may make an earlier one count again.
    private var events: [Event] = []
    /// The number of the first of them that are settled, and what counts of these.
    private var (settledCount, settled) = (0, Counting())
    private var isArranged = true
    private var removals: [(stamp: ChangeStamp, entry: RecentMemberChanges.RemovedEntry)] = []
    private var interests: (stamp: ChangeStamp, texts: [String])?
    private var forgotten: [(stamp: ChangeStamp, id: String)] = []
    private var (forgetsEarlier, isForgotten, isCleared) = (false, false, false)

    init(beyond taken: AppliedChanges) { self.taken = taken }

    /// The number of interactions, which the memory grows with.
    var count: Int { events.count }

    /// The changes, in an order that is the same in all journals with the same changes.
    var recent: RecentMemberChanges {
        var recent = RecentMemberChanges()
        recent.isForgotten = isForgotten
        guard !isForgotten else { return recent }
        recent.isCleared = isCleared
        recent.forgetsEarlier = forgetsEarlier
        recent.forgottenIDs = Set(forgotten.map { BytewiseString($0.id) })
        recent.interests = interests?.texts
        recent.interestsStamp = interests?.stamp.milliseconds
        recent.removals = removals.sorted { $0.stamp < $1.stamp }.map(\.entry)
        var counting = settled
        count(events[settledCount...], into: &counting)
        recent.impressions = counting.impressions
        recent.interactions = counting.events.map(\.record)
        return recent
    }

    /// Counts events that arrived after the others, but for joins and leaves that a removal from the group ended.
    private func count(_ events: ArraySlice<Event>, into counting: inout Counting) {
        let removals = removals.filter { $0.entry.table == RelationSource.memberships.table }
        let ended = Dictionary(removals.map { (BytewiseString($0.entry.groupID), $0.stamp) }, uniquingKeysWith: max)
        for event in events {
            let isOfMembership = !ended.isEmpty && event.record.kind.pairChange?.source == .memberships
            if isOfMembership, let end = ended[BytewiseString(event.record.subjectID)], end >= event.stamp { continue }
            counting.add(event)
        }
    }

    /// Adds a change.
    ///
    /// - Parameters:
    ///   - isRecent: whether the version lacks the change.
    ///   - firstOfSeveral: returns the stamp of the first change with an interaction, or nil if only one has it.
    mutating func add<Failure: Error>(
        _ journaled: JournaledChange, isRecent: Bool, firstOfSeveral: (_ id: String) throws(Failure) -> ChangeStamp?
    ) throws(Failure) {
        let stamp = journaled.stamp
        switch journaled.change {
        case .member(let change):
            switch change.action {
            case .record(let interactions) where isRecent:
                var ids: Set<BytewiseString> = []
                for (place, record) in interactions.enumerated() where ids.insert(BytewiseString(record.id)).inserted {
                    if let first = try firstOfSeveral(record.id) {
                        guard first == stamp else { continue }
                        // A client may have sent it again, to another daemon.
                        remove { $0.record.id.hasSameBytes(as: record.id) }
                    }
                    add(Event(record: record.withoutList, stamp: stamp, place: place))
                }
            case .forget(let id):
                if isRecent {
                    if let id { forgotten.append((stamp, id)) } else { forgetsEarlier = true }
                }
                forget(id, before: stamp)
            case .state(let texts) where isRecent:
                if interests.map({ $0.stamp < stamp }) ?? true { interests = (stamp, texts) }
            case .record, .state, .expose: break
            }
        case .removal(let change):
            if change.forgottenUserID != nil {
                let wasForgotten = isForgotten
                self = MemberFold(beyond: taken)
                isForgotten = wasForgotten || isRecent
            } else if change.removedUserID != nil {
                clear(before: stamp)
                if isRecent { isCleared = true }
            } else if isRecent, case .user(_, let group, let table) = change.subject {
                removals.append((stamp, RecentMemberChanges.RemovedEntry(groupID: group, table: table)))
                unsettle()
            }
        case .site, .renaming, nil: break
        }
    }

    private mutating func add(_ event: Event) {
        if let last = events.last, !Event.precedes(last, event) { isArranged = false }
        events.append(event)
    }

    private mutating func remove(where isRemoved: (Event) -> Bool) {
        let before = events.count
        events.removeAll(where: isRemoved)
        if events.count < before { unsettle() }
    }

    /// Counts all events anew, because one that others replaced may count again.
    private mutating func unsettle() { (settledCount, settled) = (0, Counting()) }

    /// Removes all interactions, or those with an id, except those that change pairs, such as joins.
    private mutating func forget(_ id: String?, before stamp: ChangeStamp) {
        remove { event in
            event.stamp < stamp && event.record.kind.pairChange == nil
                && id.map { $0.hasSameBytes(as: event.record.id) } ?? true
        }
    }

    /// Removes everything that came before the site removed the member.
    private mutating func clear(before stamp: ChangeStamp) {
        remove { $0.stamp < stamp }
        removals.removeAll { $0.stamp < stamp }
        forgotten.removeAll { $0.stamp < stamp }
        if let stated = interests, stated.stamp < stamp { interests = nil }
    }

    /// A register that the latest event of a pair wins.
    private struct Register: Hashable {
        let subject: Interaction.Kind.Subject?
        let id: BytewiseString
        /// Whether it says if the group is dismissed, and not if the pair is in its table.
        let isDismissal: Bool

        /// - Returns: nil for an event that no other of its kind replaces.
        init?(_ record: InteractionRecord) {
            switch record.effect {
            case .dismiss, .undismiss: isDismissal = true
            case .join, .leave: isDismissal = false
            case .click, .impression: return nil
            case nil:
                guard record.kind.pairChange != nil || record.pause != nil else { return nil }
                isDismissal = false
            }
            (subject, id) = (record.kind.subject, BytewiseString(record.subjectID))
        }
    }

    /// Puts the interactions in order, and settles the earlier ones of many; called after changes were added.
    mutating func arrange() {
        if !isArranged {
            events[settledCount...].sort(by: Event.precedes)
            if settledCount > 0, Event.precedes(events[settledCount], events[settledCount - 1]) {
                unsettle()
                events.sort(by: Event.precedes)
            }
            isArranged = true
        }
        guard events.count - settledCount > 2 * Self.unsettledEvents else { return }
        let end = events.count - Self.unsettledEvents
        var counting = settled
        count(events[settledCount..<end], into: &counting)
        counting.settle()
        (settledCount, settled) = (end, counting)
    }

    /// Interactions that count.
    private struct Counting {
        /// All but impressions, in the order of arrival.
        var events: [Event] = []
        /// The impressions, as `RecentMemberChanges` has them.
        var impressions: [BytewiseString: [Int64]] = [:]

        /// Adds an interaction that arrived after the others.
        mutating func add(_ event: Event) {
            let group = BytewiseString(event.record.subjectID)
            guard event.record.effect == .impression else {
                if event.record.effect == .click { impressions[group] = nil }
                return events.append(event)
            }
            impressions[group, default: []].append(event.record.atMilliseconds)
            let excess = (impressions[group]?.count ?? 0) - MemberFold.impressionLimit
            if excess > 0 { impressions[group]?.removeFirst(excess) }
        }

        /// Leaves out events that later ones replace.
        mutating func settle() {
            var winners: [Register: (state: PairState, place: Int)] = [:]
            var clicks: [BytewiseString: Int] = [:]
            for (place, event) in events.enumerated() {
                guard let register = Register(event.record) else {
                    if event.record.effect == .click { clicks[BytewiseString(event.record.subjectID)] = place }
                    continue
                }
                var state = winners[register]?.state ?? .unknown
                if state.settle(true, atSeconds: event.record.atMilliseconds / 1000) {
                    winners[register] = (state, place)
                }
            }
            events = (winners.values.map(\.place) + clicks.values).sorted().map { events[$0] }
        }
    }
}

extension InteractionRecord {
    /// The interaction without the list that showed the group, which profiles and deleted histories do not need.
    var withoutList: InteractionRecord {
        InteractionRecord(id: id, kind, subjectID: subjectID, atMilliseconds: atMilliseconds, seconds: seconds)
    }
}

/// The folded changes of the members who did much since a version, for all connections to a journal.
///
/// A request of such a member then reads only the changes that came since the last one. The changes of other members
/// are read anew, because they are few.
package final class MemberFolds: Sendable {
    private final class Box: Sendable {
        let fold: Mutex<MemberFold>
        init(_ fold: MemberFold) { self.fold = Mutex(fold) }
    }

    private struct State {
        var boxes: [BytewiseString: Box] = [:]
        /// The number of interactions in all folds.
        var count = 0
        /// A number that grows with every removal of all folds.
        var revision = 0

        mutating func removeAll() {
            boxes = [:]
            count = 0
            revision += 1
        }
    }

    /// The number of interactions up to which a member is read anew.
    private static let fewInteractions = 32
    /// The largest number of interactions in all folds; beyond it, all folds are dropped and made again.
    package static let limit = 500_000

    private let state = Mutex(State())

    package init() {}

    /// Returns the changes of a member beyond those that a version has.
    ///
    /// - Parameter update: adds to a fold the changes that it lacks.
    func recent<Failure: Error>(
        ofUser id: String, beyond taken: AppliedChanges, _ update: (inout MemberFold) throws(Failure) -> Void
    ) throws(Failure) -> RecentMemberChanges {
        let key = BytewiseString(id)
        let (box, revision) = state.withLock { ($0.boxes[key], $0.revision) }
        guard let box else {
            var fold = MemberFold(beyond: taken)
            try update(&fold)
            if fold.count > Self.fewInteractions { keep(fold, for: key, revision) }
            return fold.recent
        }
        return try box.fold.withLock { fold throws(Failure) in
            let before = fold.count
            if fold.taken != taken { fold = MemberFold(beyond: taken) }
            do throws(Failure) { try update(&fold) } catch {
                fold = MemberFold(beyond: taken)
                throw error
            }
            let grown = fold.count - before
            state.withLock { state in
                guard state.revision == revision else { return }
                state.count += grown
                if state.count > Self.limit { state.removeAll() }
            }
            return fold.recent
        }
    }

    private func keep(_ fold: MemberFold, for key: BytewiseString, _ revision: Int) {
        state.withLock { state in
            guard state.revision == revision, state.boxes[key] == nil else { return }
            state.boxes[key] = Box(fold)
            state.count += fold.count
            if state.count > Self.limit { state.removeAll() }
        }
    }

    /// Drops all folds, after rows of the journal were erased or replaced without a change that says so.
    func removeAll() { state.withLock { $0.removeAll() } }
}
