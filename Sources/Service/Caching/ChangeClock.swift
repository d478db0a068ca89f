import CatalogStore
import Synchronization

/// Tells whether what answers are made from has changed since a moment: for one member, or for everybody.
///
/// It is exact because of the order of steps. Whoever changes something makes the change, notes it here, then
/// acknowledges it. Whoever keeps an answer takes the stamp first, then reads what the answer is made from. So an
/// answer whose stamp is still the present one was made from all that has been acknowledged.
final class ChangeClock: Sendable {
    /// A moment, as far as one member is concerned; equal stamps mean that nothing has changed in between.
    struct Stamp: Equatable {
        fileprivate let ofEverything: UInt64
        fileprivate let ofMember: UInt64
    }

    private let everything = Atomic<UInt64>(0)
    /// Several members share a counter: a change of one member may then also look like one of another, whose answers
    /// are made anew without need.
    private let stripes = InlineArray<4096, Atomic<UInt64>> { _ in Atomic(0) }

    /// Notes a change that shows in nobody's answers but a member's.
    func memberChanged(_ id: String) {
        stripes[stripe(of: id)].wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that may show in any answer.
    func everythingChanged() {
        everything.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that was made.
    func note(_ change: CatalogChange) {
        guard change.showsInAnswers else { return }
        if let user = change.userID { memberChanged(user) } else { everythingChanged() }
    }

    /// The present moment.
    ///
    /// - Parameter id: the member whose changes matter; nil if only those that may show in any answer do.
    func stamp(ofMember id: String?) -> Stamp {
        Stamp(
            ofEverything: everything.load(ordering: .sequentiallyConsistent),
            ofMember: id.map { stripes[stripe(of: $0)].load(ordering: .sequentiallyConsistent) } ?? 0)
    }

    private func stripe(of id: String) -> Int { Int(UInt(bitPattern: id.hashValue) % UInt(stripes.count)) }
}

/// The revision of a catalog as it was last looked at, to notice that others have changed it.
final class SeenRevision: Sendable {
    private let last = Mutex<Int64?>(nil)

    /// Notes a change of everything unless the revision is the one seen last.
    ///
    /// - Parameter revision: nil if it cannot be told, which is taken for a change.
    func note(_ revision: Int64?, in changes: ChangeClock) {
        let isSame = last.withLock { last in
            defer { last = revision }
            return revision != nil && revision == last
        }
        if !isSame { changes.everythingChanged() }
    }
}
