import Changes
import Synchronization

/// Tells whether the data behind an answer has changed: for one member, or for everybody.
///
/// The order of steps guarantees that no stale answer is given. A writer makes the change, notes it here, and then
/// acknowledges it. A cache takes the stamp, and then reads the data. So an answer with the current stamp was made from
/// all acknowledged changes.
final class ChangeClock: Sendable {
    /// The state of the clock for one member; two equal stamps mean that nothing has changed between them.
    struct Stamp: Equatable {
        fileprivate let ofEverything: UInt64
        fileprivate let ofMember: UInt64
    }

    private let everything = Atomic<UInt64>(0)
    /// The counters of members' changes.
    ///
    /// Members share counters. So a change of one member can also invalidate answers of another, which is harmless.
    private let stripes = InlineArray<4096, Atomic<UInt64>> { _ in Atomic(0) }

    /// Notes a change that affects only the answers about one member.
    func memberChanged(_ id: String) {
        stripes[stripe(of: id)].wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that may affect any answer.
    func everythingChanged() {
        everything.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that was made.
    ///
    /// Anybody's answer may have what the site removes, such as a member whom others follow.
    func note(_ change: Change) {
        guard change.showsInAnswers else { return }
        if case .member(let change) = change { memberChanged(change.userID) } else { everythingChanged() }
    }

    /// Returns the current stamp.
    ///
    /// - Parameter id: the member whose changes matter, or `nil` if only changes for everybody matter.
    func stamp(ofMember id: String?) -> Stamp {
        Stamp(
            ofEverything: everything.load(ordering: .sequentiallyConsistent),
            ofMember: id.map { stripes[stripe(of: $0)].load(ordering: .sequentiallyConsistent) } ?? 0)
    }

    private func stripe(of id: String) -> Int { Int(UInt(bitPattern: id.hashValue) % UInt(stripes.count)) }
}

/// The last known revision or state of a file, to notice changes by other processes.
final class LastSeen<State: Equatable & Sendable>: Sendable {
    private let last = Mutex<State?>(nil)

    /// Returns whether a state differs from the last known one, which it replaces.
    ///
    /// - Parameter state: the state, or `nil` if it cannot be read, which counts as a change.
    func isNew(_ state: State?) -> Bool {
        last.withLock { last in
            defer { last = state }
            return state == nil || state != last
        }
    }
}
