import Synchronization

/// Something that others change too: another process, or another connection to the same file.
public protocol ChangeSource: Sendable {
    /// Notes in a clock what others have changed since the last call; called now and again, by one thread at a time.
    func noteOutsideChanges(in changes: ChangeClock)
}

/// The state of a catalog as it was last looked at, to notice that others have changed it.
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
