import Basics
import CommandLine
import Foundation

/// The benchmark `coterie-bench soak`: two daemons share a Redis server under load and faults for minutes.
enum SoakBenchmark: Benchmark {
    static let command = Command(
        "soak", summary: "Load two daemons for minutes while versions, Redis and groups come and go",
        discussion: """
            Starts "coterie serve", which must be in the folder of this program, twice, with a Redis of their own. \
            Clients ask both for lists, batches of lists, similar groups and groups for photos, and record \
            interactions. Meanwhile a version is published every 20 seconds, with other titles each time. A group is \
            hidden every second, and shown again 20 seconds later. Every 45 seconds Redis is stopped and started \
            again, every other time without its data. Needs redis-server, taskset and setpriv (util-linux).

            Ends with a line of JSON, and with code 65 unless all of this holds. No answer has a status of 5xx, and \
            none is missing. No answer has titles of two versions. A daemon that hid a group does not show it again. \
            The other one does not, after \(RecentlyHiddenGroups.delaySeconds) seconds in which Redis was there. The \
            last third of the time, if it has a minute or more, is compared with the third before it. The median of a \
            daemon's anonymous memory is at most a tenth and 8 MiB higher, and its open files at most 8 more. At \
            least half of the versions that were due were published.
            """,
        options: [
            Option("seconds", "N", help: "How long it takes", default: "600"),
            Option("clients", "N", help: "The number of clients, each with one request at a time", default: "4"),
            Option("per-second", "N", help: "The requests of all clients a second, at most", default: "400"),
        ], examples: ["coterie-bench soak", "coterie-bench soak --seconds 60"])

    private static let publishSeconds = 20, restartSeconds = 45, hiddenSeconds = 20

    static func run(_ parsed: ParsedCommand) throws {
        let seconds = try parsed.integer("seconds", in: 3...1_000_000)
        let clientCount = try parsed.integer("clients", in: 1...64)
        let pause = Double(clientCount) / Double(try parsed.integer("per-second", in: 1...100_000))
        let community = try SoakCommunity()
        let servers = try SoakServers(community)
        let findings = SoakFindings()
        let clients = SoakClients(
            community, ports: servers.ports, findings: findings, hidden: servers.hidden, pauseSeconds: pause,
            hasBatches: try servers.answersBatches())
        try clients.start(clientCount)
        let publisher = SoakPublisher(community, store: servers.store, findings)
        var samples = servers.ports.map { _ in ResourceSamples() }
        for second in 1...seconds {
            let due = ContinuousClock.now + .seconds(1)
            if second % restartSeconds == 0 {
                try servers.restartRedis(keepingData: second / restartSeconds % 2 == 0)
            }
            if second % publishSeconds == 0 { publisher.publish() }
            try servers.hideAnother(of: community, showingAgainAfter: hiddenSeconds, findings)
            for (daemon, child) in servers.daemons.enumerated() { try samples[daemon].take(of: child) }
            if second % 60 == 0 { printToStandardError("\(second) of \(seconds) seconds: \(findings.summary)") }
            Thread.sleep(forTimeInterval: max(0, (due - .now) / .seconds(1)))
        }
        clients.stop()
        publisher.stop()
        if findings.publications < seconds / publishSeconds / 2 {
            findings.fail("only \(findings.publications) versions were published")
        }
        for (daemon, sample) in samples.enumerated() {
            if let growth = sample.growth { findings.fail("daemon \(daemon): \(growth)") }
        }
        try report(findings, samples, seconds)
    }

    private static func report(_ findings: SoakFindings, _ samples: [ResourceSamples], _ seconds: Int)
        throws(Failure)
    {
        let failures = findings.failures
        for failure in failures { printToStandardError(failure) }
        let memory = samples.map { "[\($0.memoryByThird.map(String.init).joined(separator: ","))]" }
        let files = samples.map { "[\($0.filesByThird.map(String.init).joined(separator: ","))]" }
        print(
            """
            {"benchmark":"soak","seconds":\(seconds),\(findings.json),\
            "anonymousBytesByThird":[\(memory.joined(separator: ","))],\
            "openFilesByThird":[\(files.joined(separator: ","))],"verdict":"\(failures.isEmpty ? "passed" : "failed")"}
            """)
        guard failures.isEmpty else { throw Failure(.badData, "\(failures.count) things did not hold") }
    }
}
