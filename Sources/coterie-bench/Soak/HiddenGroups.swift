import Synchronization

/// Groups that are hidden, and by which daemon since when.
final class HiddenGroups: Sendable {
    /// How long another daemon may take to hear of it while Redis is there; much longer than it takes.
    static let delaySeconds = 10

    private struct State {
        var groups: [String: (daemon: Int, since: ContinuousClock.Instant)] = [:]
        var redisSince = ContinuousClock.now
    }

    private let state = Mutex(State())

    /// All of them.
    var all: Set<String> { state.withLock { Set($0.groups.keys) } }

    /// A daemon has acknowledged that a group is hidden.
    func add(_ group: String, by daemon: Int) { state.withLock { $0.groups[group] = (daemon, .now) } }

    /// Redis is there again.
    func noteRedisIsThere() { state.withLock { $0.redisSince = .now } }

    /// Those that a daemon must not show in answers to requests that are sent from now on.
    func groups(for daemon: Int) -> Set<String> {
        state.withLock { state in
            let heard = ContinuousClock.now - .seconds(Self.delaySeconds)
            return Set(
                state.groups.filter { $0.value.daemon == daemon || max($0.value.since, state.redisSince) < heard }
                    .keys)
        }
    }

    /// Takes out those that have been hidden for longer, before they are shown again.
    func takeOlder(thanSeconds seconds: Int) -> [(group: String, daemon: Int)] {
        state.withLock { state in
            let begin = ContinuousClock.now - .seconds(seconds)
            let older = state.groups.filter { $0.value.since < begin }
            for group in older.keys { state.groups[group] = nil }
            return older.map { ($0.key, $0.value.daemon) }
        }
    }
}
