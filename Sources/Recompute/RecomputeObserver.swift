public import Model

/// Told of a recompute while it runs.
public protocol RecomputeObserver: Sendable {
    /// A step begins.
    func stepBegan(_ name: String)
    /// A step goes on; called from any thread, often.
    ///
    /// - Parameters:
    ///   - done: work done so far.
    ///   - total: all work, if it is known, in the same unit.
    ///   - unit: the unit, such as "rows"; nil if it means nothing to a person.
    func stepAdvanced(done: Int, total: Int?, unit: String?)
    /// A step has ended, with what it found.
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String)
    /// Something that is no failure, but that somebody should know.
    func warn(_ message: String)
}
