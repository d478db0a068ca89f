import Experiments
import ModelStore
import Synchronization

/// The experiments of the store, as of the last poll.
final class ExperimentBoard: Sendable {
    private struct State {
        var text: [UInt8]?
        var assigner = Assigner(ExperimentRegister())
    }

    private let follower: VersionFollower
    private let changes: ChangeClock
    private let log: EventLog
    private let state = Mutex(State())

    /// Creates a board without experiments, until `poll` finds some.
    init(_ follower: VersionFollower, changes: ChangeClock, log: EventLog) {
        self.follower = follower
        self.changes = changes
        self.log = log
    }

    /// The assignment of members to arms.
    var assigner: Assigner { state.withLock { $0.assigner } }

    /// Reads the experiments from the store; without an answer, nothing changes.
    func poll() {
        guard let text = try? follower.store.experiments(), text != state.withLock({ $0.text }) else { return }
        let register = ExperimentRegister(encoded: text)
        state.withLock { state in
            state.text = text
            guard let register else { return }
            state.assigner = Assigner(register)
            follower.keepLoaded(state.assigner.versions)
        }
        guard let register else {
            return log.error(
                "the experiments of \(follower.store.location) cannot be read: those before go on; upgrade this daemon")
        }
        // Cached answers were made for other arms.
        changes.everythingChanged()
        let names = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map(\.definition.name)
        log.info("experiments that are started: \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }
}
