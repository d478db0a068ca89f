import Experiments
import ModelStore
import Synchronization

/// The experiments of the store, as they were when it was last asked.
final class ExperimentBoard: Sendable {
    private struct State {
        var text: [UInt8]?
        var assigner = Assigner(ExperimentRegister())
    }

    private let follower: VersionFollower
    private let changes: ChangeClock
    private let log: EventLog
    private let state = Mutex(State())

    /// Without experiments, until `poll` finds some.
    init(_ follower: VersionFollower, changes: ChangeClock, log: EventLog) {
        self.follower = follower
        self.changes = changes
        self.log = log
    }

    /// Who is in which arm.
    var assigner: Assigner { state.withLock { $0.assigner } }

    /// Asks the store; while it does not answer, everything stays as it was.
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
        // Answers that are kept were made for other arms.
        changes.everythingChanged()
        let names = register.entries.filter { $0.stoppedAtMilliseconds == nil }.map(\.definition.name)
        log.info("experiments that are started: \(names.isEmpty ? "none" : names.joined(separator: ", "))")
    }
}
