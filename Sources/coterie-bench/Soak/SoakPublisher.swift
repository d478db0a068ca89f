import Foundation
import Synchronization

/// Imports groups with new titles and publishes a version, again and again, beside everything else.
final class SoakPublisher: Sendable {
    private let community: SoakCommunity
    private let store: String
    private let findings: SoakFindings
    private let queue = DispatchQueue(label: "publisher")
    private let isOver = Atomic(false)
    private let mark = Atomic(0)

    init(_ community: SoakCommunity, store: String, _ findings: SoakFindings) {
        self.community = community
        self.store = store
        self.findings = findings
    }

    /// Publishes a version once the one before has been published.
    ///
    /// Without Redis that fails, as it should, and so it does while Redis keeps the lease of a publisher that was cut
    /// off: it is tried again until it works.
    func publish() {
        queue.async { [self] in
            while !isOver.load(ordering: .relaxed) {
                do {
                    try community.importGroups(mark: mark.add(1, ordering: .relaxed).newValue)
                    try SoakCommunity.coterie(["recompute", "--catalog", community.catalog, "--store", store])
                    return findings.notePublication()
                } catch { Thread.sleep(forTimeInterval: 2) }
            }
        }
    }

    /// Waits until nothing is being published.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        queue.sync {}
    }
}
