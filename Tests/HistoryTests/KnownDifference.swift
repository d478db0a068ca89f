import Model
import Testing

/// A kind of difference that there is today, with an example.
///
/// The test of the example fails when the difference is gone; its entry is then removed.
struct KnownDifference: Sendable, CustomTestStringConvertible {
    let title: String
    /// The cause, and the readers that are wrong.
    let reason: String
    let fields: Set<Field>
    let readers: Set<ReaderName>
    /// Whether the events of a history about a subject are of this kind.
    let meets: @Sendable (History, String) -> Bool
    let example: History

    var testDescription: String { title }

    /// Whether a difference of a history may be of this kind.
    func covers(_ difference: Difference, _ history: History) -> Bool {
        fields.contains(difference.field) && readers.contains(difference.reader) && meets(history, difference.subject)
    }

    /// Whether a difference of a history may be of a known kind.
    static func covers(_ difference: Difference, of history: History) -> Bool {
        all.contains { $0.covers(difference, history) }
    }

    /// The differences of all examples, by their titles.
    static let played = Result {
        try World(histories: Dictionary(uniqueKeysWithValues: all.map { ($0.title, $0.example) })).differences()
    }

    private static let everybody = Set(ReaderName.allCases)
    private static let versionReaders = Set(ReaderName.allCases.filter(\.readsVersions))
    private static let besideRedis = versionReaders.union([.redisCommand])

    /// Returns an interaction with a group at an hour after the start, and some seconds.
    private static func told(
        _ kind: Interaction.Kind, hour: Double, seconds: Double = 0, daemon: Int = 0
    ) -> Event {
        let at = Timeline.start + Int64(hour * 3_600_000) + Int64(seconds * 1000)
        return Event(act: .told(kind, "g00", atMilliseconds: at), daemon: daemon)
    }

    static let all: [KnownDifference] = [
        KnownDifference(
            title: "one forgotten event that the version has",
            reason: "a version has sums and no events; all beside Redis show it until the next version",
            fields: [.dismissed, .shown, .pause], readers: besideRedis,
            meets: { history, _ in history.has { if case .forgetOne = $0 { true } else { false } } },
            example: History([1: told(.dismiss, hour: 1), 5: Event(act: .forgetOne(ofSlot: 1))])),
        KnownDifference(
            title: "the events of a member whom the site took out of a group",
            reason: "the catalog removes them if the member was in the group; journals keep them",
            fields: [.history, .joined], readers: everybody,
            meets: { history, _ in history.has { if case .takenOut = $0 { true } else { false } } },
            example: History([1: told(.join, hour: 1), 2: Event(act: .takenOut("g00"))])),
        KnownDifference(
            title: "the favourites of a member who came back after a removal",
            reason: "the command line beside Redis counts those of the catalog, which has not taken the removal",
            fields: [.hints, .list, .photos], readers: besideRedis,
            meets: { history, _ in history.has { $0 == .removed } },
            example: History([
                3: Event(act: .file(.favourite, "p19", seconds: nil)), 8: Event(act: .removed),
                9: told(.join, hour: 9),
            ])),
        KnownDifference(
            title: "a row without a time that a file brought before the catalog knew of a removal",
            reason: "beside Redis the removal arrives after the import, and such a row is older than all events",
            fields: [.joined, .list, .photos, .contacts, .hints], readers: besideRedis,
            meets: { history, _ in history.hasFiles && history.has { $0 == .removed } },
            example: History([
                2: Event(act: .removed), 3: Event(act: .file(.membership, "g12", seconds: nil)),
            ])),
        KnownDifference(
            title: "lists of the command line beside Redis",
            reason: "the command line reads the catalog, and daemons beside Redis the version: files show later there",
            fields: [.list, .photos, .contacts, .hints], readers: [.redisCommand],
            meets: { _, _ in true },
            example: History([9: Event(act: .file(.membership, "g13", seconds: nil))])),
    ]
}

extension History {
    /// Whether a file says something.
    fileprivate var hasFiles: Bool { has { if case .file = $0 { true } else { false } } }

    /// Whether any event is of a kind.
    fileprivate func has(_ isMeant: (Act) -> Bool) -> Bool {
        events.contains { $0.map { isMeant($0.act) } ?? false }
    }
}
