package import Basics
package import Experiments
package import ModelStore
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

extension VersionStore {
    /// Returns the experiments of the store.
    package func experimentRegister() throws(Failure) -> ExperimentRegister { try register(of: experiments()) }

    /// Changes the experiments of the store; another process may change them meanwhile, so the change is retried.
    ///
    /// - Parameter change: returns an error message, or nil on success.
    /// - Returns: the message, or nil on success.
    package func changeExperiments(_ change: (inout ExperimentRegister) -> String?) throws(Failure) -> String? {
        for _ in 0..<10 {
            let known = try experiments()
            var register = try self.register(of: known)
            if let problem = change(&register) { return problem }
            if try setExperiments(register.encoded, replacing: known) { return nil }
        }
        throw Failure(.tryLater, "others change the experiments of \(location) all the time: try again")
    }

    private func register(of text: [UInt8]?) throws(Failure) -> ExperimentRegister {
        if let register = ExperimentRegister(encoded: text) { return register }
        throw Failure(.badData, "the experiments of \(location) are damaged, or of a newer program")
    }
}
