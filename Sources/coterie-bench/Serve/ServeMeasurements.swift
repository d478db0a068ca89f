import Basics
import Glibc
import Model
import Recommendation

/// The measurements for the rows of `coterie-bench serve`.
struct ServeMeasurements {
    let scene: ServeScene
    let servers: ServersUnderTest

    /// The number of members whose lists are cached when the latency is measured.
    private static let cachedMembers = 100
    /// The bounds that the rows report.
    private static let throughputBound = 0.8, processorBound = 1.0, latencyBoundMilliseconds = 10.0, memoryBound = 0.5

    /// Measures requests for the same member's list, compared with nginx.
    func cached(rounds: Int, _ wrk: Wrk) throws -> String {
        var ours: [Wrk.Round] = []
        var theirs: [Wrk.Round] = []
        for round in 0..<rounds {
            ours.append(
                try wrk.round(
                    of: servers.daemon, port: servers.daemonPort, target: scene.target(0), token: scene.tokens[0]))
            theirs.append(
                try wrk.round(
                    of: servers.nginx, port: servers.nginxPort, target: "/answer.json", token: scene.tokens[0]))
            print(
                """
                round \(round + 1): \(Formats.fixed(ours[round].perSecond, 0)) requests a second, nginx \
                \(Formats.fixed(theirs[round].perSecond, 0))
                """)
        }
        let bodyBytes = try ClientConnection(port: servers.daemonPort).answer(to: scene.request(0)).body.count
        func median(_ figure: (Wrk.Round) -> Double, of rounds: [Wrk.Round]) -> Double {
            Measuring.median(rounds.map(figure))
        }
        let ratio = Measuring.median(zip(ours, theirs).map { $0.perSecond / $1.perSecond })
        let processorRatio = Measuring.median(
            zip(ours, theirs).map { $1.processorMicroseconds / $0.processorMicroseconds })
        return """
            {"benchmark":"serve","row":"cached","bodyBytes":\(bodyBytes),"connections":\(wrk.connections),\
            "rounds":\(rounds),\
            "requestsPerSecond":\(Formats.fixed(median(\.perSecond, of: ours), 0)),\
            "nginxRequestsPerSecond":\(Formats.fixed(median(\.perSecond, of: theirs), 0)),\
            "processorMicroseconds":\(Formats.fixed(median(\.processorMicroseconds, of: ours), 2)),\
            "nginxProcessorMicroseconds":\(Formats.fixed(median(\.processorMicroseconds, of: theirs), 2)),\
            "processorRatio":\(Measuring.fixed(processorRatio)),"ratio":\(Measuring.fixed(ratio)),\
            "atLeast":\(Self.throughputBound)}
            """
    }

    /// Measures lists that are not cached, compared with fetching their inputs from Redis.
    func uncached(requests: Int) throws -> [String] {
        let planMicroseconds = planMicroseconds(requests)
        let requestMicroseconds = try uncachedRequestMicroseconds(requests)
        let redis = try RedisFetch(scene)
        return try [RedisFetch.Form.compact, .sortedSets].map { form in
            let fetch = try redis.microseconds(form, members: requests)
            let sum = fetch.client + fetch.server
            return """
                {"benchmark":"serve","row":"uncached","redisForm":"\(form.rawValue)","requests":\(requests),\
                "lists":\(scene.size.joined * RelationTable.standard.count),\
                "counted":"processor time, user and system",\
                "requestMicroseconds":\(Formats.fixed(requestMicroseconds, 1)),\
                "planMicroseconds":\(Formats.fixed(planMicroseconds, 1)),\
                "redisClientMicroseconds":\(Formats.fixed(fetch.client, 1)),\
                "redisServerMicroseconds":\(Formats.fixed(fetch.server, 1)),\
                "ratio":\(Measuring.fixed(requestMicroseconds / sum)),\
                "planRatio":\(Measuring.fixed(planMicroseconds / sum)),"atMost":\(Self.processorBound)}
                """
        }
    }

    /// Returns the daemon's processor time for a whole request, including its session.
    private func uncachedRequestMicroseconds(_ requests: Int) throws -> Double {
        let connection = try ClientConnection(port: servers.daemonPort)
        let begin = servers.daemon.processorSeconds
        for number in 0..<requests {
            // After the last member, the first one follows again with another session.
            let (session, member) = number.quotientAndRemainder(dividingBy: scene.size.members)
            let answer = try connection.answer(to: scene.request(member, session: session))
            guard answer.status == 200 else {
                throw Failure(.badData, String(decoding: answer.body, as: UTF8.self))
            }
        }
        return (servers.daemon.processorSeconds - begin) * 1e6 / Double(requests)
    }

    /// Returns this process's processor time for the plan alone, from a profile to a list of groups.
    private func planMicroseconds(_ requests: Int) -> Double {
        let planner = Planner(model: scene.version, key: RotationKey(1, 2))
        let instant = SystemClock.nowMilliseconds
        let begin = Measuring.processorSeconds
        for number in 0..<requests {
            let member = number % scene.size.members
            let profile = MemberProfile(
                userID: ServeScene.userID(member), joined: scene.profiles[member].map { .init(group: $0) })
            _ = planner.plan(PlanRequest(profile: profile, atMilliseconds: instant))
        }
        return (Measuring.processorSeconds - begin) * 1e6 / Double(requests)
    }

    /// Measures the latency of answers at half of the peak rate.
    func latency(seconds: Double, connections: Int, uncachedPercent: Int) throws -> String {
        let load = mix(connections: connections, uncachedPercent: uncachedPercent, firstSession: 1_000_000)
        let peak = try load.run(seconds: seconds, perSecond: nil, seed: 1)
        let half = try load.run(seconds: seconds, perSecond: peak.perSecond / 2, seed: 2)
        return """
            {"benchmark":"serve","row":"latency","uncachedPercent":\(uncachedPercent),"connections":\(connections),\
            "peakPerSecond":\(Formats.fixed(peak.perSecond, 0)),"perSecond":\(Formats.fixed(half.perSecond, 0)),\
            "requests":\(half.latencies.count),"failures":\(peak.failures + half.failures),\
            "medianMilliseconds":\(Measuring.fixed(half.latency(ofPart: 0.5))),\
            "p99Milliseconds":\(Measuring.fixed(half.latency(ofPart: 0.99))),\
            "longestMilliseconds":\(Measuring.fixed(half.latency(ofPart: 1))),"atMost":\(Self.latencyBoundMilliseconds)}
            """
    }

    /// Returns a mix of cached and uncached lists.
    ///
    /// - Parameters:
    ///   - uncachedPercent: the share of uncached lists.
    ///   - firstSession: a number above which sessions are unused; uncached lists take their sessions from there.
    func mix(connections: Int, uncachedPercent: Int, firstSession: Int) -> RequestLoad {
        var session = firstSession
        return RequestLoad(port: servers.daemonPort, connectionCount: connections) { generator in
            guard Int.random(in: 0..<100, using: &generator) < uncachedPercent else {
                let cached = min(Self.cachedMembers, scene.size.members)
                return scene.request(Int.random(in: 0..<cached, using: &generator))
            }
            session += 1
            return scene.request(Int.random(in: 0..<scene.size.members, using: &generator), session: session)
        }
    }

    /// Measures the daemon's anonymous memory.
    func memory() throws -> String {
        let own = try servers.daemon.anonymousBytes()
        let model = scene.model.placement.byteCount
        return """
            {"benchmark":"serve","row":"memory","counted":"anonymous","ownBytes":\(own),"modelBytes":\(model),\
            "ratio":\(Measuring.fixed(Double(own) / Double(model))),"atMost":\(Self.memoryBound)}
            """
    }
}

extension ServeMeasurements {
    /// The greatest acceptable growth of the 99th percentile caused by another client's batches.
    private static let batchBound = 2.0

    /// Measures the latency of single lists at half of their peak rate, without and with another client's batches.
    func batches(seconds: Double, connections: Int, uncachedPercent: Int) throws -> String {
        let load = mix(connections: connections, uncachedPercent: uncachedPercent, firstSession: 2_000_000)
        let rate = try load.run(seconds: seconds, perSecond: nil, seed: 3).perSecond / 2
        let alone = try load.run(seconds: seconds, perSecond: rate, seed: 4)
        let batches = Locked(RequestLoad.Outcome())
        // Processing of these answers must not delay timed requests, which are sent from the same processor.
        let (port, members, token) = (servers.daemonPort, scene.size.members, scene.serviceToken)
        let client = try WorkThread(niceness: 10) {
            let outcome = try? Self.batchLoad(port, members, token).run(seconds: seconds, perSecond: nil, seed: 6)
            batches.withLock { $0 = outcome ?? RequestLoad.Outcome(failures: 1) }
        }
        let together = try load.run(seconds: seconds, perSecond: rate, seed: 5)
        client.join()
        let others = batches.withLock(\.self)
        let (before, after) = (alone.latency(ofPart: 0.99), together.latency(ofPart: 0.99))
        return """
            {"benchmark":"serve","row":"batches","uncachedPercent":\(uncachedPercent),"connections":\(connections),\
            "perSecond":\(Formats.fixed(rate, 0)),"batches":\(others.latencies.count),\
            "failures":\(alone.failures + together.failures + others.failures),\
            "p99MillisecondsAlone":\(Measuring.fixed(before)),"p99Milliseconds":\(Measuring.fixed(after)),\
            "ratio":\(Measuring.fixed(after / before)),"atMost":\(Self.batchBound)}
            """
    }

    /// Returns the load of one client that asks for the lists of a hundred members at once, one batch after the other.
    private static func batchLoad(_ port: UInt16, _ members: Int, _ token: String) -> RequestLoad {
        var first = 0
        return RequestLoad(port: port, connectionCount: 1) { _ in
            let ids = (first..<first + 100).map { "\"\(ServeScene.userID($0 % members))\"" }
            first = (first + 100) % members
            let body = #"{"userIds":[\#(ids.joined(separator: ","))]}"#
            return ClientConnection.request("/v1/recommendations", token: token, json: body)
        }
    }
}
