import Model

/// A part of an answer about a member.
enum Field: String, Sendable, CaseIterable {
    case joined, dismissed, shown, interests, pause, history
    /// These have no reference: readers are compared with one another.
    case list, hints, photos, contacts
}

/// An answer about a member, as texts.
typealias Answer = [Field: [String]]

/// The right answer about a member: the history, folded by the rule.
///
/// The latest event of a pair or a dismissal counts, in whole seconds; of events in the same second, the one that
/// arrived later. A row of a file is older than an event of its second. Without a time, or with one that is still to
/// come, the row is older than all events. The same holds for pauses. Of stated interests, the last to arrive count. Impressions and clicks count
/// in the order in which they arrive. What a member deleted, or what is dated before the member deleted all, does not come
/// back; the pairs stay, and late ones count, unlisted.
struct Reference {
    private struct Told {
        let slot: Int
        let kind: Interaction.Kind
        let subject: String
        let seconds: Int?
        let time: Int64
        var isListed = true
    }

    private struct Pair: Hashable {
        let kind: FileKind
        let subject: String
    }

    private var told: [Told] = []
    /// The times of pairs in files, in seconds; `Int64.min` for one that is not known.
    private var files: [Pair: Int64] = [:]
    private var interests: [String] = []
    private var isForgotten = false
    /// The slots of events that the member deleted, and the second at which the member last deleted all.
    private var deleted: Set<Int> = []
    private var deletedBefore = Int64.min

    /// Folds a history.
    ///
    /// - Parameters:
    ///   - slots: the number of slots that have passed.
    ///   - fileSlots: the number of slots whose files are known.
    ///   - isHidden: whether the site hides a group in a slot; interactions with it are refused then.
    init(_ history: History, slots: Int, fileSlots: Int, isHidden: (String, Int) -> Bool) {
        for (slot, event) in history.events.enumerated().prefix(slots) {
            switch event?.act {
            case nil: break
            case .told(let kind, let subject, let seconds, let at):
                add(Told(slot: slot, kind: kind, subject: subject, seconds: seconds, time: at / 1000), slot, isHidden)
            case .retry(let earlier):
                guard case .told(let kind, let subject, let seconds, let at)? = history.events[earlier]?.act
                else { break }
                let again = Told(slot: earlier, kind: kind, subject: subject, seconds: seconds, time: at / 1000)
                add(again, slot, isHidden)
            case .interests(let texts): if !isForgotten { interests = texts }
            case .forgetOne(let earlier):
                forget { $0.slot == earlier }
                if !isForgotten { deleted.insert(earlier) }
            case .forgetAll:
                forget { _ in true }
                if !isForgotten { deletedBefore = Timeline.milliseconds(ofSlot: slot) / 1000 + 1000 }
            case .file(let kind, let subject, let seconds):
                guard slot < fileSlots, !isForgotten else { break }
                let pair = Pair(kind: kind, subject: subject)
                let known = seconds.flatMap { $0 < 4_000_000_000 ? $0 : nil }
                files[pair] = known ?? files[pair] ?? .min
            case .takenOut(let group): takeOut(group)
            case .removed: clear()
            case .forgotten:
                clear()
                isForgotten = true
            }
        }
    }

    private mutating func add(_ event: Told, _ slot: Int, _ isHidden: (String, Int) -> Bool) {
        guard !isForgotten, !told.contains(where: { $0.slot == event.slot }) else { return }
        if event.kind.subject == .group, isHidden(event.subject, slot) { return }
        var event = event
        if event.time < deletedBefore { event.isListed = false }
        guard !deleted.contains(event.slot), event.isListed || event.kind.pairChange != nil else { return }
        told.append(event)
    }

    /// Forgets events; the pairs that they began or ended stay.
    private mutating func forget(_ isMeant: (Told) -> Bool) {
        deleted.formUnion(told.lazy.filter(isMeant).map(\.slot))
        told.removeAll { isMeant($0) && $0.kind.pairChange == nil }
        for index in told.indices where isMeant(told[index]) { told[index].isListed = false }
    }

    private mutating func takeOut(_ group: String) {
        files[Pair(kind: .membership, subject: group)] = nil
        told.removeAll { FileKind(changedBy: $0.kind) == .membership && $0.subject == group }
    }

    private mutating func clear() {
        (told, files, interests) = ([], [:], [])
        (deleted, deletedBefore) = ([], .min)
    }

    /// The pairs of a kind that hold now, in order.
    func pairs(_ kind: FileKind) -> [String] {
        let events = told.filter { FileKind(changedBy: $0.kind) == kind }
        let subjects = Set(events.map(\.subject)).union(files.keys.filter { $0.kind == kind }.map(\.subject))
        return subjects.filter { subject in
            let file = files[Pair(kind: kind, subject: subject)]
            guard let last = Self.latest(events.filter { $0.subject == subject }) else { return file != nil }
            if let file, file > last.time { return true }
            return last.kind == kind.kinds.adds
        }.sorted()
    }

    /// The latest of some events in the order of their arrival.
    private static func latest(_ events: [Told]) -> Told? {
        events.reduce(nil) { last, next in last.map { next.time >= $0.time } ?? true ? next : last }
    }

    /// The last statement about seeing groups at all, with the second at which a pause ends by itself.
    private var pause: [String] {
        guard let last = Self.latest(told.filter { $0.kind == .pause || $0.kind == .resume }) else { return [] }
        return [last.kind == .resume ? "over" : last.seconds.map { "until \(last.time + Int64($0))" } ?? "for good"]
    }

    /// The answer, of groups that are shown.
    func answer(shows: (String) -> Bool) -> Answer {
        let groups = Set(told.filter { $0.kind.subject == .group }.map(\.subject)).filter(shows)
        let dismissed = groups.filter { group in
            let events = told.filter { $0.subject == group && ($0.kind == .dismiss || $0.kind == .undismiss) }
            return Self.latest(events)?.kind == .dismiss
        }
        let shown = groups.compactMap { group in
            var count = 0
            for event in told where event.subject == group {
                switch event.kind.effect(seconds: event.seconds) {
                case .impression: count += 1
                case .click: count = 0
                default: break
                }
            }
            return count > 0 ? "\(group) ×\(count)" : nil
        }
        return [
            .joined: pairs(.membership).filter(shows), .dismissed: dismissed.sorted(), .shown: shown.sorted(),
            .interests: interests, .pause: pause,
            .history: told.filter(\.isListed).map { "\($0.kind.rawValue) \($0.subject) of slot \($0.slot)" },
        ]
    }
}
