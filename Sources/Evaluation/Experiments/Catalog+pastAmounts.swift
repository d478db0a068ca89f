public import CatalogStore
public import Experiments
import Model

extension Catalog {
    /// How much of a measure each active member did in a span of time that is past; active is who did anything with a
    /// list.
    ///
    /// - Parameters:
    ///   - measure: one that members do without an experiment as well (`hasBefore`).
    ///   - start, end: Unix milliseconds, from the first (inclusive) to the second (exclusive).
    public func pastAmounts(of measure: Measure, since start: Int64, before end: Int64) throws(CatalogError)
        -> SampleSums
    {
        let kind: Interaction.Kind =
            switch measure {
            case .clicks: .click
            case .dismissals: .dismiss
            default: .join
            }
        var sums = SampleSums()
        for count in try countsOfListInteractions(kind, since: start, before: end) { sums.add(Double(count)) }
        return sums
    }
}
