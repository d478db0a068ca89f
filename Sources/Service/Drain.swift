import Synchronization

/// The time after a stop signal in which a daemon still answers, and readiness checks fail.
///
/// A load balancer needs some checks to notice that a daemon is about to stop. Without this time, it would send
/// requests
/// to a daemon that takes no more connections.
public final class Drain: Sendable {
    /// The length of that time, in whole seconds.
    public let time: Duration
    private let hasBegun = Atomic(false)

    /// Creates a time that has not begun.
    public init(_ time: Duration) { self.time = time }

    /// Whether the daemon was told to stop.
    var isUnderWay: Bool { hasBegun.load(ordering: .relaxed) }

    func begin() { hasBegun.store(true, ordering: .relaxed) }
}
