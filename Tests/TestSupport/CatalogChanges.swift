package import CatalogStore
package import Changes
import Foundation
package import Model

extension Catalog {
    /// Applies changes as those of a journal, in one transaction.
    ///
    /// - Parameter stamp: the stamp of all of them, in milliseconds; the present time if it is nil.
    /// - Returns: the number of parts that were left out.
    @discardableResult
    package func take(_ changes: [Change], stamp: Int64? = nil) throws -> Int {
        let stamp = stamp ?? Int64(Date().timeIntervalSince1970 * 1000)
        let (origin, last) = ("test", try facts.appliedChanges().last(of: "test"))
        let journaled = changes.enumerated().map { index, change in
            JournaledChange(
                origin: origin, sequence: last + Int64(index) + 1, stampMilliseconds: stamp, change: change)
        }
        let counts = try ingest.apply(journaled: journaled)
        precondition(counts.applied == changes.count, "a test's change cannot be encoded")
        return counts.leftOut
    }
}

extension InteractionRecord {
    /// Creates an interaction with a group.
    package init(
        id: String, _ kind: Interaction.Kind, groupID: String, atMilliseconds: Int64, recommendationID: String? = nil,
        position: Int? = nil, variant: String? = nil
    ) {
        self.init(
            id: id, kind, subjectID: groupID, atMilliseconds: atMilliseconds, recommendationID: recommendationID,
            position: position, variant: variant)
    }
}
