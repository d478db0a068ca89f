import CommandLineOptions
import Foundation
import Glibc
import Model
import Recommendation

/// `coterie-bench serve`: the daemon's speed, against nginx and against Redis.
enum ServeBenchmark: Benchmark {
    static let command = Command(
        "serve", summary: "Measure the serving daemon against nginx and Redis",
        discussion: """
            Starts "coterie serve", which must stand beside this program, with one thread on processor 0, with tokens, \
            limits and metrics on, over a made-up version and members; all load comes from processor 1. Needs taskset \
            and setpriv (util-linux), wrk, nginx (nginx-light) and redis-server. A line of JSON a row:

            cached: requests a second for one member's list, against nginx serving the same bytes from a file with one \
            worker; medians of rounds in turn. The ratio is to be 0.8 or more.

            uncached: processor time of the daemon for a list that was not asked for before, another member each time: the \
            whole request, and the plan alone in this process; against that of client and server together for one \
            pipelined fetch of the lists of the same groups from Redis over a Unix socket, in the form in which versions \
            are published. The ratio is to be 1 or less. Then the same against sorted sets.

            latency: at half of the peak rate of a mix of lists that are cached and lists that are not, requests being \
            due at random moments whether or not those before are answered. The 99th percentile is to be 10 ms or less.

            memory: what the daemon has of its own after all that, against the size of the version. The ratio is to be \
            0.5 or less.
            """,
        options: [
            Option("groups", "N", help: "Groups of the version", default: "100000"),
            Option("neighbours", "K", help: "Neighbours a group has in each of two relations", default: "100"),
            Option("joined", "N", help: "Groups a member is in", default: "50"),
            Option("members", "N", help: "Members", default: "2000"),
            Option("rounds", "N", help: "Rounds of requests for a cached list", default: "5"),
            Option("seconds", "N", help: "How long a round takes, and each part of the latency row", default: "4"),
            Option("requests", "N", help: "Requests for lists that are not cached", default: "2000"),
            Option(
                "uncached-percent", "N", help: "How many of 100 requests of the mix are for lists that are not cached",
                default: "20"),
            Option("connections", "N", help: "Connections of the load", default: "32"),
        ],
        examples: [
            "coterie-bench serve",
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
        let measurements = ServeMeasurements(scene: scene, servers: try ServersUnderTest(scene))
        let seconds = try parsed.integer("seconds", in: 1...600)
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
        print(try measurements.memory())
    }

    /// Moves this process to where all load comes from.
    private static func runOnLoadProcessor() throws {
        _ = try Child.output(
            of: [
                try Child.path(of: "taskset", package: "util-linux"), "-a", "-c", "-p",
                "\(ServersUnderTest.loadProcessor)", "\(getpid())",
            ], processor: ServersUnderTest.loadProcessor)
    }
}
