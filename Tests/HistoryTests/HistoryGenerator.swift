import Model
import TestSupport

/// The ids of a small community, which histories name.
enum Names {
    static let groups = (0..<20).map { "g" + String(100 + $0).dropFirst() }
    static let photos = (0..<60).map { "p" + String(100 + $0).dropFirst() }
    static let users = (0..<60).map { "u" + String(100 + $0).dropFirst() }
    /// The groups that the site decides about.
    static let decided = groups.suffix(6)
}

/// Random histories; the same ones for the same seed.
struct HistoryGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Returns a history about few groups, photos and members, so that its events meet.
    mutating func history() -> History {
        let groups = Array(Names.groups.shuffled(using: &random).prefix(2))
        let photos = Array(Names.photos.shuffled(using: &random).prefix(2))
        let users = Array(Names.users.shuffled(using: &random).prefix(4))
        var events: [Int: Event] = [:]
        var times: [Int64] = []
        for slot in 0..<Timeline.slotCount where chance(0.8) {
            let act: Act
            let sent = events.compactMap { slot, event in if case .told = event.act { slot } else { nil } }.sorted()
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<64:
                let kind = kind()
                let subject =
                    switch kind.subject {
                    case .group: pick(groups)
                    case .photo: pick(photos)
                    case .user: pick(users)
                    case nil: ""
                    }
                let at = time(inSlot: slot, times)
                times.append(at)
                act = .told(kind, subject, seconds: seconds(of: kind), atMilliseconds: at)
            case 64..<67 where !sent.isEmpty: act = .retry(ofSlot: pick(sent))
            case 67..<72 where !sent.isEmpty: act = .forgetOne(ofSlot: pick(sent))
            case 72..<75: act = .forgetAll
            case 75..<80: act = .interests(chance(0.2) ? [] : [pick(["owls", "snow", "games"])])
            case 80..<82: act = .takenOut(pick(groups))
            case 82..<84: act = .removed
            case 84..<85: act = .forgotten
            default:
                let kind = pick([FileKind.membership, .membership, .favourite, .follow])
                let subject =
                    switch kind {
                    case .membership: pick(groups)
                    case .favourite: pick(photos)
                    case .follow: pick(users)
                    }
                act = .file(kind, subject, seconds: fileTime(inSlot: slot, times))
            }
            events[slot] = Event(act: act, daemon: pick([0, 1]))
        }
        return History(events)
    }

    /// Returns a few decisions about groups.
    mutating func decisions() -> [Decision] {
        (0..<Timeline.slotCount).compactMap { slot in
            guard chance(0.4) else { return nil }
            let acts: [Decision.Act] = [.hide, .hide, .unhide, .curate(position: 1), .curate(position: 2), .uncurate]
            return Decision(slot: slot, act: pick(acts), group: pick(Array(Names.decided)), daemon: pick([0, 1]))
        }
    }

    private mutating func kind() -> Interaction.Kind {
        pick([
            .join, .join, .join, .leave, .leave, .leave, .dismiss, .dismiss, .undismiss, .click, .impression,
            .impression, .favourite, .unfavourite, .follow, .unfollow, .view, .pause, .pause, .resume,
        ])
    }

    /// Returns the seconds of a view, or those of a pause, which may be over soon.
    private mutating func seconds(of kind: Interaction.Kind) -> Int? {
        switch kind {
        case .view: pick([3, 30])
        case .pause: pick([nil, 9_000, 86_400])
        default: nil
        }
    }

    /// Returns the present time, an earlier one, that of another event or of its second, or one still to come.
    private mutating func time(inSlot slot: Int, _ times: [Int64]) -> Int64 {
        let now = Timeline.milliseconds(ofSlot: slot) + Int64(pick([0, 250, 500, 900]))
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: return now
        case 4..<6: return Timeline.milliseconds(ofSlot: Int.random(in: -2...slot, using: &random))
        case 6 where !times.isEmpty: return pick(times)
        case 7..<9 where !times.isEmpty: return pick(times) / 1000 * 1000 + Int64(pick([0, 250, 500, 900]))
        case 9: return now + 9_000_000
        default: return now
        }
    }

    private mutating func fileTime(inSlot slot: Int, _ times: [Int64]) -> Int64? {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<3: return nil
        case 3..<6: return Timeline.milliseconds(ofSlot: Int.random(in: -2...slot, using: &random)) / 1000
        case 6 where !times.isEmpty: return pick(times) / 1000
        // A year that no clock shows for long.
        case 7: return 4_000_000_000
        default: return nil
        }
    }

    private mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &random) < share }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
