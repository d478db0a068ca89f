public import Model

/// Told of a recompute while it runs.
public protocol RecomputeObserver: Sendable {
    /// Told once, before anything large is read: how much work there is, and what it should take.
    ///
    /// - Parameter availableBytes: memory that can still be taken; nil if that is not known.
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?)
    /// A step begins.
    func stepBegan(_ name: String)
    /// A step goes on; called from any thread, often.
    ///
    /// - Parameters:
    ///   - done: work done so far.
    ///   - total: all work, if it is known, in the same unit.
    ///   - unit: the unit, such as "rows"; nil if it means nothing to a person.
    ///   - remainingSeconds: how long the whole job will still take.
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double)
    /// A step has ended, with what it found, and how long the rest of the job will take.
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double)
    /// Something that is no failure, but that somebody should know.
    func warn(_ message: String)
}
