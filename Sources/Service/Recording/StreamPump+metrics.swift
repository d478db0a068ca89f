extension StreamPump: MetricSource {
    func write(to text: inout MetricsText) {
        let (totals, backlog) = (totals, backlog)
        text.gauge(
            "coterie_stream_connected", "Whether changes are sent to the other daemons and taken from them.",
            problem == nil ? 1 : 0)
        text.gauge(
            "coterie_outbox_changes", "Changes that the other daemons have not been told yet.", backlog?.count ?? 0)
        text.gauge(
            "coterie_outbox_age_seconds", "How long the first of them has been waiting.",
            backlog?.since.map { max(0, now() - $0) / 1000 } ?? 0)
        text.counter("coterie_stream_sent_total", "Changes sent to the other daemons.", totals.sent)
        text.counter("coterie_stream_followed_total", "Changes of other daemons taken down.", totals.followed)
        text.counter(
            "coterie_stream_failures_total", "Times that the stream could not be read or written.", totals.failures)
        text.counter(
            "coterie_stream_unreadable_total", "Changes in the stream that could not be read.", totals.unreadable)
    }
}
