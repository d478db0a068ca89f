public import CatalogStore
import Synchronization

/// Tells whether what answers are made from has changed since a moment: for one member, or for everybody.
///
/// The order of things makes it exact. Whoever changes something makes the change, then notes it here, then says that
/// it is done. Whoever keeps an answer takes the stamp first, then reads what the answer is made from. An answer whose
/// stamp is still the present one was thus made from all that had been acknowledged when it is used again.
public final class ChangeClock: Sendable {
    /// A moment, as far as one member is concerned; equal stamps mean that nothing has changed in between.
    struct Stamp: Equatable {
        fileprivate let ofEverything: UInt64
        fileprivate let ofMember: UInt64
    }

    private let everything = Atomic<UInt64>(0)
    /// Members share counters, so that there need not be one for each: a change of one member may look like one of
    /// another as well, which only costs the other an answer.
    private let stripes = InlineArray<4096, Atomic<UInt64>> { _ in Atomic(0) }

    /// A clock of its own.
    public init() {}

    /// Notes a change that shows in nobody's answers but a member's.
    public func memberChanged(_ id: String) {
        stripes[stripe(of: id)].wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that may show in any answer.
    public func everythingChanged() {
        everything.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Notes a change that was made.
    public func note(_ change: CatalogChange) {
        switch change {
        case .member(let change): memberChanged(change.userID)
        case .site: everythingChanged()
        }
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
