import Model

/// The places of events in a history, and what happens between them.
enum Timeline {
    /// The number of slots; a member does at most one thing in a slot.
    static let slotCount = 12
    /// The slots before which a version is made, after the first version of the community alone.
    static let recomputes = [4, 8]
    /// A time that every clock has passed: a file's times before it are not in the future.
    static let start: Int64 = 1_700_000_000_000

    /// The time of a slot, in Unix milliseconds: slots are an hour apart.
    static func milliseconds(ofSlot slot: Int) -> Int64 { start + Int64(slot) * 3_600_000 }
}

/// The kinds of rows that files tell of a member.
enum FileKind: String, Sendable, CaseIterable {
    case membership, favourite, follow

    /// The kinds of interactions that begin and end such a pair.
    var kinds: (adds: Interaction.Kind, ends: Interaction.Kind) {
        switch self {
        case .membership: (.join, .leave)
        case .favourite: (.favourite, .unfavourite)
        case .follow: (.follow, .unfollow)
        }
    }

    /// The kind of pair that an interaction changes, or nil if it changes none.
    init?(changedBy kind: Interaction.Kind) {
        let found = Self.allCases.first { $0.kinds.adds == kind || $0.kinds.ends == kind }
        guard let found else { return nil }
        self = found
    }
}

/// A thing that a member does, or that files and the site tell of the member.
enum Act: Hashable, Sendable {
    case told(Interaction.Kind, String, seconds: Int? = nil, atMilliseconds: Int64)
    /// The interaction of an earlier slot is sent again.
    case retry(ofSlot: Int)
    case interests([String])
    case forgetOne(ofSlot: Int)
    case forgetAll
    /// A row of an imported file, with its time in Unix seconds, if it has one.
    case file(FileKind, String, seconds: Int64?)
    /// The site removes the member from a group.
    case takenOut(String)
    /// The site removes the member, who may come back.
    case removed
    /// The site forgets the member for good.
    case forgotten
}

/// An act, and the daemon at which it happens.
struct Event: Hashable, Sendable {
    var act: Act
    var daemon = 0
}

/// The events of one member by slot.
struct History: Hashable, Sendable {
    var events: [Event?]

    init(_ events: [Int: Event]) { self.events = (0..<Timeline.slotCount).map { events[$0] } }

    /// Returns the history without the event of a slot.
    func without(_ slot: Int) -> History {
        var shorter = self
        shorter.events[slot] = nil
        return shorter
    }

    /// The slots with an event.
    var slots: [Int] { events.indices.filter { events[$0] != nil } }
}

extension History: CustomStringConvertible {
    /// One line for each event and each version.
    var description: String {
        var lines: [String] = []
        for (slot, event) in events.enumerated() {
            if let number = Timeline.recomputes.firstIndex(of: slot) { lines.append("    -- version \(number + 1) --") }
            guard let event else { continue }
            lines.append("    \(slot). daemon \(event.daemon + 1): \(event.act)")
        }
        return lines.joined(separator: "\n")
    }
}

extension Act: CustomStringConvertible {
    /// Hours and seconds after the start; the slot's number is the hour at which an event arrives.
    private static func time(_ milliseconds: Int64) -> String {
        let since = milliseconds - Timeline.start
        let hours = Int((Double(since) / 3_600_000).rounded(.down))
        return "hour \(hours) + \(Double(since - Int64(hours) * 3_600_000) / 1000) s"
    }

    var description: String {
        switch self {
        case .told(let kind, let subject, let seconds, let at):
            "\(kind.rawValue) \(subject)\(seconds.map { " for \($0) s" } ?? "") at \(Self.time(at))"
        case .retry(let slot): "sends the event of slot \(slot) again"
        case .interests(let texts): "interests \(texts)"
        case .forgetOne(let slot): "forgets the event of slot \(slot)"
        case .forgetAll: "forgets all"
        case .file(let kind, let subject, let seconds):
            "file: \(kind) \(subject) \(seconds.map { "since \(Self.time($0 * 1000))" } ?? "without a time")"
        case .takenOut(let group): "site: removed from \(group)"
        case .removed: "site: removed"
        case .forgotten: "site: forgotten for good"
        }
    }
}

/// A decision of the site in a slot, before the events of members.
struct Decision: Hashable, Sendable, CustomStringConvertible {
    enum Act: Hashable, Sendable {
        case hide, unhide, uncurate
        case curate(position: Int)
    }

    var slot: Int
    var act: Act
    var group: String
    var daemon: Int

    var description: String { "    \(slot). site at daemon \(daemon + 1): \(act) \(group)" }
}
