import Recompute
import Testing

@Suite("What a recompute tells Prometheus of its ending")
struct RecomputeStatusTests {
    private let success = """
        # HELP coterie_recompute_last_success_timestamp_seconds When a recompute last succeeded.
        # TYPE coterie_recompute_last_success_timestamp_seconds gauge
        coterie_recompute_last_success_timestamp_seconds 5

        """
    private let failure = #"""
        # HELP coterie_recompute_last_failure_timestamp_seconds When a recompute last failed, and why.
        # TYPE coterie_recompute_last_failure_timestamp_seconds gauge
        coterie_recompute_last_failure_timestamp_seconds{code="75",reason="\"a\\b\" is busy, try later"} 7

        """#

    @Test("keeps the last success and the last failure through any number of runs")
    func history() {
        var status = RecomputeStatus()
        #expect(status.text.isEmpty)
        for seconds in [3, 5] as [Int64] { status.succeeded(at: seconds) }
        #expect(status.text == success)
        status = RecomputeStatus(status.text)
        status.failed(at: 6, exitCode: 1, reason: "something else")
        status.failed(at: 7, exitCode: 75, reason: "\"a\\b\" is busy,\ntry later")
        #expect(status.text == success + failure)
        status = RecomputeStatus(status.text)
        #expect(status.text == success + failure)
        #expect(status.lastSuccessSeconds == 5 && status.lastFailureSeconds == 7)
        #expect(status.lastFailureReason == #""a\b" is busy, try later"#)
        status.succeeded(at: 8)
        #expect(status.text == success.replacing(" 5\n", with: " 8\n") + failure)
    }

    @Test("takes a file of something else for nothing, and cuts a long reason")
    func foreign() {
        var status = RecomputeStatus("node_load1 3\n\n\0garbage")
        #expect(status.text.isEmpty && status.lastFailureReason == nil)
        status.failed(at: 1, exitCode: 1, reason: String(repeating: "x", count: 5000))
        #expect(status.text.count < 600)
    }
}
