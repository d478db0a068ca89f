import Synchronization

/// Counts lists of sessions that were found damaged where they are kept; the first one is logged.
///
/// A disk or a server that has damaged one list may have damaged all: a line for each would hide everything else.
final class DamagedLists: Sendable {
    private let log: EventLog
    private let count = Atomic<UInt64>(0)

    init(_ log: EventLog) { self.log = log }

    /// How many there were.
    var total: UInt64 { count.load(ordering: .relaxed) }

    /// A damaged list was found, and is not shown.
    ///
    /// - Parameter place: where it was kept.
    func found(in place: String) {
        guard count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 else { return }
        log.warning(
            """
            a session's list in \(place) is damaged and is made anew; further ones are only counted, in \(Self.name)
            """)
    }
}

extension DamagedLists: MetricSource {
    private static let name = "coterie_sessions_damaged_total"

    func write(to text: inout MetricsText) {
        text.counter(Self.name, "Lists of sessions that were damaged where they were kept.", total)
    }
}
