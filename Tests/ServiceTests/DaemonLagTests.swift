@testable import Service
import Testing

@Suite("How far a daemon is behind the store")
struct DaemonLagTests {
    private func report(version: String?, started: Int64 = 0, taken: Int64? = nil, complete: Int64? = nil)
        -> DaemonReport
    {
        DaemonReport(
            host: "h", processId: 1, address: "127.0.0.1", port: 1, startedAtMilliseconds: started,
            reportedAtMilliseconds: 60_000, modelVersion: version, versionTakenAtMilliseconds: taken, problems: [],
            streamCompleteAtMilliseconds: complete)
    }

    @Test("is nothing for one that serves the current version; it says how long the switch took")
    func current() {
        let lag = report(version: "b", taken: 10_700, complete: 59_960).lag(behind: "b", since: 10_000, at: 61_000)
        #expect(lag == DaemonLag(versionSeconds: 0, switchSeconds: 0.7, streamSeconds: 0.04))
        // It took up what was current already.
        let later = report(version: "b", started: 20_000, taken: 20_100).lag(behind: "b", since: 10_000, at: 61_000)
        #expect(later == DaemonLag(versionSeconds: 0))
    }

    @Test("counts from the switch, or from the start of the daemon if that came later")
    func behind() {
        #expect(report(version: "a").lag(behind: "b", since: 10_000, at: 61_000).versionSeconds == 51)
        #expect(report(version: nil, started: 60_000).lag(behind: "b", since: 10_000, at: 61_000).versionSeconds == 1)
        #expect(report(version: "a").lag(behind: "b", since: nil, at: 61_000) == DaemonLag())
        #expect(report(version: "a").lag(behind: nil, since: nil, at: 61_000) == DaemonLag())
        // Clocks of machines differ a little.
        #expect(report(version: "a").lag(behind: "b", since: 70_000, at: 61_000).versionSeconds == 0)
    }
}
