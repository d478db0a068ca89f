/// Where the daemons of a store say that they run, and how they are.
///
/// What a daemon said is gone a while after it said it last: one that was killed disappears by itself.
public protocol DaemonBoard: Sendable {
    /// Says how a daemon is, in place of what it said before.
    ///
    /// - Parameter id: 1 to 64 ASCII letters, digits, dots, hyphens and underscores.
    func post(_ report: [UInt8], ofDaemon id: String) throws(StoreError)

    /// Removes what a daemon said.
    func withdraw(_ id: String) throws(StoreError)

    /// What daemons have said last, those that still count, in the order of their ids.
    func reports() throws(StoreError) -> [[UInt8]]
}

/// The rule of how long reports count.
enum DaemonReports {
    /// Daemons report several times in this time.
    static let lifetimeSeconds = 20
    /// The longest report, in bytes, inclusive.
    static let maximumByteCount = 1 << 16
}
