import Basics
import Changes
import Model
import Synchronization

/// The site's decisions in the order in which they apply, kept in memory because every answer needs them.
///
/// They come from the journal. While it cannot be written, decisions of other daemons that it lacks are added. A group
/// that another daemon hid is therefore hidden here even if the disk is full.
final class JournaledDecisions: Sendable {
    private struct Log {
        var journaled: [JournaledChange] = []
        /// The decisions that the journal lacks, by their stamps.
        var unwritten: [ChangeStamp: JournaledChange] = [:]
        /// All decisions in their order.
        var changes: [JournaledChange] = []
        /// The new ids of renamed groups.
        var names = GroupNames([])
        var revision: UInt64 = 0

        mutating func arrange() {
            for change in journaled { unwritten[change.stamp] = nil }
            changes = unwritten.isEmpty ? journaled : (journaled + unwritten.values).sorted { $0.stamp < $1.stamp }
            names = GroupNames(changes)
            revision += 1
        }
    }

    private let log = Mutex(Log())
    /// A lock for renewals: of two threads, the one that began to read last must win.
    private let renewal = Mutex(())

    /// Replaces the decisions of the journal with those that `read` returns.
    func renew(_ read: () throws(Failure) -> [JournaledChange]) throws(Failure) {
        try renewal.withLock { _ throws(Failure) in
            let changes = try read()
            log.withLock { log in
                log.journaled = changes
                log.arrange()
            }
        }
    }

    /// Adds decisions of other daemons that cannot be written to the journal now.
    ///
    /// - Returns: whether the changes contained a decision.
    func add(unwritten changes: [JournaledChange]) -> Bool {
        let decisions = changes.filter { $0.change?.concernsEverybody == true }
        guard !decisions.isEmpty else { return false }
        log.withLock { log in
            for decision in decisions { log.unwritten[decision.stamp] = decision }
            log.arrange()
        }
        return true
    }

    /// A number that grows with every change of the decisions.
    var revision: UInt64 { log.withLock { $0.revision } }

    var recorded: RecordedDecisions {
        log.withLock { RecordedDecisions($0.changes, names: $0.names) }
    }

    /// The new ids of renamed groups.
    var names: GroupNames { log.withLock { $0.names } }
}
