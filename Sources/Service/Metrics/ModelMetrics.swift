import Model

/// Figures about the version that serves and the store it comes from.
struct ModelMetrics: MetricSource {
    let follower: VersionFollower
    /// The time, in Unix milliseconds.
    let now: @Sendable () -> Int64

    func write(to text: inout MetricsText) {
        let state = follower.current
        if let snapshot = state.snapshot {
            text.gauge(
                "coterie_model_info", "The version that serves, as a label; always 1.", 1,
                [("version", snapshot.version.description)])
            text.gauge(
                "coterie_model_age_seconds", "Time since the recompute of the version that serves began.",
                snapshot.ageSeconds(at: now()))
            text.gauge("coterie_model_groups", "Groups in the version that serves.", snapshot.model.groupCount)
        }
        text.gauge("coterie_model_loaded", "Whether there is a version to serve.", state.snapshot == nil ? 0 : 1)
        text.gauge(
            "coterie_degraded", "Whether the version that serves may not be the current one.",
            state.problem == nil ? 0 : 1)
        text.gauge(
            "coterie_store_reachable", "Whether the store answered when it was last asked.",
            state.storeIsReachable ? 1 : 0)
        text.counter(
            "coterie_store_poll_failures_total", "Times that the current version could not be asked for or loaded.",
            follower.pollFailureCount)
    }
}
