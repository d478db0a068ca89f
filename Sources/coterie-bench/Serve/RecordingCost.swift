import Basics
import Foundation
import Model
import ModelStore
import Redis

/// The cost for a daemon of recording requests with their answers.
struct RecordingCost {
    private static let bound = 0.95

    private let scene: ServeScene
    private let folder: String
    private let daemons: [(program: Child, port: UInt16)]

    /// Starts two daemons over a scene: one that records nothing, and one that records.
    init(_ scene: ServeScene) throws {
        self.scene = scene
        folder = scene.folder + "/recording"
        let folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        daemons = try [[], ["--record", folder + "/tape"]].enumerated().map { number, more in
            let own = "\(folder)/\(number)"
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
            return try ServersUnderTest.startDaemon(scene, ["--sessions", own + "/sessions"] + more, folder: own)
        }
    }

    /// Returns the rates of both daemons, measured in turn.
    func row(rounds: Int, seconds: Int, connections: Int) throws -> String {
        let wrk = try Wrk(connections: connections, seconds: seconds)
        var cached: [[Wrk.Round]] = [[], []]
        var uncached: [[Double]] = [[], []]
        var session = 3_000_000
        for round in 0..<rounds {
            for (number, daemon) in daemons.enumerated() {
                cached[number].append(
                    try wrk.round(
                        of: daemon.program, port: daemon.port, target: scene.target(0), token: scene.tokens[0]))
                let load = RequestLoad(port: daemon.port, connectionCount: connections) { generator in
                    session += 1
                    return scene.request(Int.random(in: 0..<scene.size.members, using: &generator), session: session)
                }
                let outcome = try load.run(seconds: Double(seconds), perSecond: nil, seed: UInt64(round))
                guard outcome.failures == 0 else { throw Failure(.badData, "lists were refused") }
                uncached[number].append(outcome.perSecond)
            }
        }
        func rate(_ number: Int) -> Double { Measuring.median(cached[number].map(\.perSecond)) }
        func microseconds(_ number: Int) -> Double { Measuring.median(cached[number].map(\.processorMicroseconds)) }
        let uncachedRates = uncached.map(Measuring.median)
        let (recorded, dropped) = try counts()
        return """
            {"benchmark":"serve","row":"recording","rounds":\(rounds),\
            "cachedPerSecond":\(Formats.fixed(rate(0), 0)),"cachedRecordedPerSecond":\(Formats.fixed(rate(1), 0)),\
            "processorMicroseconds":\(Formats.fixed(microseconds(0), 2)),\
            "recordedProcessorMicroseconds":\(Formats.fixed(microseconds(1), 2)),\
            "uncachedPerSecond":\(Formats.fixed(uncachedRates[0], 0)),\
            "uncachedRecordedPerSecond":\(Formats.fixed(uncachedRates[1], 0)),\
            "onTape":\(recorded),"dropped":\(dropped),\
            "uncachedRatio":\(Measuring.fixed(uncachedRates[1] / uncachedRates[0])),\
            "ratio":\(Measuring.fixed(rate(1) / rate(0))),"atLeast":\(Self.bound)}
            """
    }

    /// Returns the number of requests that the second daemon has recorded, and of those it has dropped.
    private func counts() throws -> (recorded: Int, dropped: Int) {
        let request = ClientConnection.request("/metrics", token: scene.serviceToken)
        let text = String(
            decoding: try ClientConnection(port: daemons[1].port).answer(to: request).body, as: UTF8.self)
        func figure(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }
        return (figure("coterie_tape_exchanges_total"), figure("coterie_tape_dropped_total"))
    }
}

/// The cost of fetching the lists of a member's groups from Redis, for the client and for the server.
struct RedisFetch {
    /// The form in which Redis holds the lists.
    enum Form: String {
        /// A compact value for each list, as in a published version.
        case compact
        /// A sorted set for each list, read from the best score down.
        case sortedSets
    }

    private let server: Child
    private let scene: ServeScene
    private let socketPath: String
    private static let prefix = "bench:"

    /// Starts a server with all lists in compact form, and those of the members' groups in sorted sets as well.
    init(_ scene: ServeScene) throws {
        self.scene = scene
        let path = scene.folder + "/redis.sock"
        socketPath = path
        let address = RedisAddress(socketPath: path)
        server = try Child.redis(["--port", "0", "--unixsocket", path], at: address, folder: scene.folder)
        var connection = try RedisConnection(to: address)
        let store = RedisStore(address, cacheDirectory: scene.folder + "/images", prefix: Self.prefix)
        try scene.publish(to: store)
        for group in Set(scene.profiles.joined()) {
            for relation in RelationTable.standard.requiredRelations {
                try addSortedSet(Int(group), relation, to: &connection)
            }
        }
        try connection.finishPipeline(adapt: { $0 }) { _ throws(RedisError) in }
    }

    private func addSortedSet(_ group: Int, _ relation: Relation, to connection: inout RedisConnection) throws {
        let neighbours = scene.version.neighbours(of: group, by: relation)
        guard !neighbours.isEmpty else { return }
        var command = RedisCommand("ZADD", key(group, relation, .sortedSets))
        for neighbour in neighbours {
            command.append("\(neighbour.score)")
            command.append(Int(neighbour.index))
        }
        try connection.pipeline(command, window: 64, adapt: { $0 }) { _ throws(RedisError) in }
    }

    private func key(_ group: Int, _ relation: Relation, _ form: Form) -> String {
        "\(Self.prefix)\(form == .compact ? "ring" : "sets"):\(relation.rawValue):\(group)"
    }

    /// Returns the mean processor time of this thread and of the server for one member's lists, in microseconds.
    ///
    /// - Parameter count: the number of members; the lists of one member are fetched in one pipeline.
    func microseconds(_ form: Form, members count: Int) throws -> (client: Double, server: Double) {
        var connection = try RedisConnection(to: RedisAddress(socketPath: socketPath))
        let clientBegin = Self.threadSeconds
        let serverBegin = server.processorSeconds
        for member in 0..<count {
            let joined = scene.profiles[member % scene.profiles.count]
            for relation in RelationTable.standard.requiredRelations {
                for group in joined { try connection.send(command(Int(group), relation, form)) }
            }
            for _ in 0..<(joined.count * RelationTable.standard.requiredRelations.count) {
                guard try connection.receive().hasContent else {
                    throw Failure(.badData, "a list is missing in Redis")
                }
            }
        }
        let scale = 1e6 / Double(count)
        return ((Self.threadSeconds - clientBegin) * scale, (server.processorSeconds - serverBegin) * scale)
    }

    private func command(_ group: Int, _ relation: Relation, _ form: Form) -> RedisCommand {
        let key = key(group, relation, form)
        return switch form {
        case .compact: RedisCommand("GET", key)
        case .sortedSets: RedisCommand("ZREVRANGE", key, "0", "\(scene.size.neighbours - 1)", "WITHSCORES")
        }
    }

    private static var threadSeconds: Double { Double(SystemClock.nanoseconds(CLOCK_THREAD_CPUTIME_ID)) / 1e9 }
}

extension ReceivedReply {
    /// Whether the reply is a string or a list that is not empty.
    fileprivate var hasContent: Bool {
        if let elementCount { return elementCount > 0 }
        let mismatch = RedisError(.disconnected, "the reply is no string")
        do throws(RedisError) {
            return try withBytes(orThrow: mismatch) { (bytes) throws(RedisError) -> Bool in
                guard let bytes else { return false }
                return !bytes.isEmpty
            }
        } catch { return false }
    }
}
