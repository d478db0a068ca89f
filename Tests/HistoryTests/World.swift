import Changes
import Dispatch
import Model
import Synchronization

/// A moment at which all readers are asked.
struct Moment: Hashable, Sendable, CustomStringConvertible {
    let description: String
    /// The number of slots that have passed.
    let slots: Int
    /// The number of slots whose files the serving version has.
    let fileSlots: Int
    /// Whether lists, photos and contacts are asked for, which takes a while.
    let isThorough: Bool

    static let all: [Moment] = [
        Moment("before version 1", 4, 0), Moment("with version 1", 4, 4, isThorough: true),
        Moment("before version 2", 8, 4), Moment("with version 2", 8, 8),
        Moment("after version 2", 12, 8, isThorough: true), Moment("after the rollback to version 1", 12, 4),
    ]

    /// Whether the serving version was just made.
    var isFresh: Bool { slots == fileSlots }

    private init(_ description: String, _ slots: Int, _ fileSlots: Int, isThorough: Bool = false) {
        (self.description, self.slots, self.fileSlots) = (description, slots, fileSlots)
        self.isThorough = isThorough
    }
}

/// An answer of a reader at a moment.
struct Asked: Sendable {
    let moment: Moment
    let reader: ReaderName
    let answer: Answer
    /// The right answer.
    let expected: Answer
}

/// Histories of members of one community, and the decisions of its site.
struct World: Sendable {
    /// The histories by member.
    var histories: [String: History]
    var decisions: [Decision] = []

    /// Plays the histories at a site with a folder and at one with Redis, and asks all readers.
    ///
    /// - Returns: the answers about each member, and what readers say of the site.
    func play() throws -> (members: [String: [Asked]], site: [Moment: [ReaderName: [String]]]) {
        let clock = TestClock()
        let sites = try [false, true].map { try SiteUnderTest(inRedis: $0, clock) }
        var played: (members: [String: [Asked]], site: [Moment: [ReaderName: [String]]]) = ([:], [:])
        func ask(_ moment: Moment) throws {
            clock.now += 1_000_000
            for site in sites {
                try site.exchange()
                for reader in try site.readers(of: histories.keys.sorted()) {
                    played.site[moment, default: [:]][reader.name] = reader.decisions
                    for (member, history) in histories {
                        let asked = try asked(reader, about: member, history, moment, at: clock.now)
                        played.members[member, default: []].append(asked)
                    }
                }
            }
        }
        for slot in 0..<Timeline.slotCount {
            clock.now = Timeline.milliseconds(ofSlot: slot)
            try play(slot, at: sites, clock)
            for moment in Moment.all.prefix(5) where moment.slots == slot + 1 {
                if moment.isFresh { for site in sites { try site.recompute(at: clock.now) } }
                try ask(moment)
            }
        }
        for site in sites { try site.rollBack(to: 1) }
        try ask(Moment.all[5])
        return played
    }

    private func asked(
        _ reader: Reader, about member: String, _ history: History, _ moment: Moment, at instant: Int64
    ) throws -> Asked {
        let reference = Reference(
            history, slots: moment.slots,
            fileSlots: reader.name.readsVersions ? moment.fileSlots : moment.slots, isHidden: isHidden)
        let answer = try reader.answer(member, at: instant, isThorough: moment.isThorough)
        return Asked(
            moment: moment, reader: reader.name, answer: answer,
            expected: reference.answer(shows: reader.shows))
    }

    /// Whether the site hides a group while members act in a slot.
    func isHidden(_ group: String, in slot: Int) -> Bool {
        let last = decisions.last { $0.group == group && $0.slot <= slot && ($0.act == .hide || $0.act == .unhide) }
        return last?.act == .hide
    }

    /// Whether a group is not shown at a moment: it is hidden then, or the version that serves was made without it.
    func hides(_ group: String, at moment: Moment) -> Bool {
        isHidden(group, in: moment.slots - 1)
            || moment.fileSlots > 0 && isHidden(group, in: moment.fileSlots - 1)
    }

    /// Plays one slot: the site decides, files come, and members act at the same time.
    private func play(_ slot: Int, at sites: [SiteUnderTest], _ clock: TestClock) throws {
        for decision in decisions where decision.slot == slot {
            for site in sites {
                _ = try site.appliers[decision.daemon](.site(decision.change))
                try site.exchange()
            }
        }
        clock.now += 1_000_000
        var rows: [FileKind: [String]] = [:]
        var actions: [(change: Change, daemon: Int)] = []
        for (name, history) in histories.sorted(by: { $0.key < $1.key }) {
            guard let event = history.events[slot] else { continue }
            if case .file(let kind, let subject, let seconds) = event.act {
                rows[kind, default: []].append(kind.row(name, subject, seconds))
            } else if let change = history.change(event, in: slot, of: name, at: clock.now) {
                actions.append((change, event.daemon))
            }
        }
        for site in sites { try site.importing(rows) }
        let (appliers, changes) = (sites.map(\.appliers), actions)
        let failure = Mutex<String?>(nil)
        DispatchQueue.concurrentPerform(iterations: changes.count * appliers.count) { number in
            let (change, daemon) = changes[number / appliers.count]
            do { _ = try appliers[number % appliers.count][daemon](change) } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        if let failure = failure.withLock({ $0 }) { throw PlayFailure(description: failure) }
    }
}

struct PlayFailure: Error, CustomStringConvertible { let description: String }

extension Decision {
    var change: SiteChange {
        let action: SiteChange.Action =
            switch act {
            case .hide: .hide
            case .unhide: .unhide
            case .uncurate: .uncurate
            case .curate(let position): .curate(position: position, startsAt: nil, expiresAt: nil)
            }
        return SiteChange(ofGroup: group, action, atMilliseconds: Timeline.milliseconds(ofSlot: slot))
    }
}

extension History {
    /// Returns what a daemon gets to apply, or nil for a row of a file.
    fileprivate func change(_ event: Event, in slot: Int, of member: String, at now: Int64) -> Change? {
        func told(_ act: Act?, _ slot: Int) -> Change? {
            guard case .told(let kind, let subject, let seconds, let at)? = act else { return nil }
            let record = InteractionRecord(
                id: String(slot), kind, subjectID: subject, atMilliseconds: at, seconds: seconds)
            return .member(MemberChange(ofUser: member, .record([record])))
        }
        switch event.act {
        case .told: return told(event.act, slot)
        case .retry(let earlier): return told(events[earlier]?.act, earlier)
        case .interests(let texts): return .member(MemberChange(ofUser: member, .state(interests: texts)))
        case .forgetOne(let earlier): return .member(MemberChange(ofUser: member, .forget(id: String(earlier))))
        case .forgetAll: return .member(MemberChange(ofUser: member, .forget(id: nil)))
        case .takenOut(let group):
            return .removal(
                RemovalChange(.user(member, ofGroup: group, table: "memberships"), atMilliseconds: now))
        case .removed:
            // Nobody is found to be removed then, so nothing is recorded.
            guard !events.prefix(slot).contains(where: { $0?.act == .forgotten }) else { return nil }
            return .removal(RemovalChange(.account(member), atMilliseconds: now))
        case .forgotten: return .removal(RemovalChange(.member(member, withPhotos: false), atMilliseconds: now))
        case .file: return nil
        }
    }
}
