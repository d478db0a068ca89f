import CommandLine
import Glibc
import Recommendation

/// The benchmark `coterie-bench serve`: the daemon's speed, compared with nginx and with Redis.
enum ServeBenchmark: Benchmark {
    static let command = Command(
        "serve", summary: "Measure the serving daemon against nginx and Redis",
        discussion: """
            Starts "coterie serve", which must be in the folder of this program, with one thread on processor 0. \
            Tokens, rate limits and metrics are on; the version and the members are synthetic. All load comes from \
            processor 1. Needs taskset and setpriv (util-linux), wrk, nginx (nginx-light) and redis-server. Writes \
            one line of JSON per row:

            cached: requests per second for one member's list, compared with nginx, which serves the same bytes from a \
            file with one worker. Both run in turn; the medians count. The ratio should be at least 0.8.

            uncached: the daemon's processor time for a list that is not cached, of another member each time. It is \
            measured for the whole request, and for the plan alone in this process. It is compared with fetching the \
            published lists of the same groups from Redis, in one pipeline over a Unix socket. This counts the \
            processor time of client and server. The ratio should be at most 1. The next row compares with sorted \
            sets.

            latency: at half of the peak rate of a mix of cached and uncached lists. Requests are due at random \
            moments, whether or not earlier ones are answered. The 99th percentile should be at most 10 ms.

            batches: the same mix at half of its peak rate. Meanwhile another client always asks for the lists of a \
            hundred members at once. The 99th percentile is compared with the one without that client. The ratio \
            should be at most 2.

            memory: the daemon's anonymous memory after these runs, compared with the size of the version. The ratio \
            should be at most 0.5.

            recording: requests per second of a daemon that records them, compared with one that does not. They are \
            for one member's cached list, and for lists that are not cached. Both run in turn on processor 0; the \
            medians count. The ratios should be at least 0.95. Tells how many of the requests are on the tape, and \
            the daemon's whole processor time for one.

            hammered: the latency of new lists, with a store in Redis and the usual limits, five times as long. \
            Meanwhile one other member sends requests as fast as they are answered. The 99th percentile should be at \
            most 5 ms.
            """,
        options: [
            Option("groups", "N", help: "The groups of the version", default: "100000"),
            Option("neighbours", "K", help: "The neighbours of a group in each of two relations", default: "100"),
            Option("joined", "N", help: "The groups of a member", default: "50"),
            Option("members", "N", help: "The number of members", default: "2000"),
            Option("rounds", "N", help: "The rounds of requests for a cached list", default: "5"),
            Option("seconds", "N", help: "The seconds of a round, and of each part of the latencies", default: "4"),
            Option("requests", "N", help: "The requests for uncached lists", default: "2000"),
            Option("uncached-percent", "N", help: "The share of uncached lists in the mix", default: "20"),
            Option("connections", "N", help: "The connections of the load", default: "32"),
            Option(flag: "hammered", help: "Measure the row hammered alone"),
        ],
        examples: [
            "coterie-bench serve", "coterie-bench serve --hammered",
            "coterie-bench serve --groups 2000 --neighbours 20 --members 100 --rounds 1 --seconds 1 --requests 100",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let scene = try ServeScene(
            ServeScene.Size(
                groups: try parsed.integer("groups", in: 1000...10_000_000),
                neighbours: try parsed.integer("neighbours", in: 1...500),
                joined: try parsed.integer("joined", in: 1...500),
                members: try parsed.integer("members", in: 2...1_000_000)))
        try runOnLoadProcessor()
        let seconds = try parsed.integer("seconds", in: 1...600)
        if !parsed.flag("hammered") { try measureOthers(scene, seconds: seconds, parsed) }
        // With fewer requests, the slowest hundredth would all be from the first moment of the load.
        print(try HammeredStore(scene).row(seconds: 5 * seconds))
    }

    /// Measures all rows except the last.
    private static func measureOthers(_ scene: ServeScene, seconds: Int, _ parsed: ParsedCommand) throws {
        let measurements = ServeMeasurements(scene: scene, servers: try ServersUnderTest(scene))
        let connections = try parsed.integer("connections", in: 1...512)
        print(
            try measurements.cached(
                rounds: try parsed.integer("rounds", in: 1...100),
                try Wrk(connections: connections, seconds: seconds)))
        for row in try measurements.uncached(requests: try parsed.integer("requests", in: 1...1_000_000)) { print(row) }
        print(
            try measurements.latency(
                seconds: Double(seconds), connections: connections,
                uncachedPercent: try parsed.integer("uncached-percent", in: 0...100)))
        print(
            try measurements.batches(
                seconds: Double(seconds), connections: connections,
                uncachedPercent: try parsed.integer("uncached-percent", in: 0...100)))
        print(try measurements.memory())
        print(
            try RecordingCost(scene).row(
                rounds: try parsed.integer("rounds", in: 1...100), seconds: seconds, connections: connections))
    }

    /// Moves this process to the processor that generates the load.
    private static func runOnLoadProcessor() throws {
        _ = try Child.output(
            of: [
                try Child.path(of: "taskset", package: "util-linux"), "-a", "-c", "-p",
                "\(ServersUnderTest.loadProcessor)", "\(getpid())",
            ], processor: ServersUnderTest.loadProcessor)
    }
}
