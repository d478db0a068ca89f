import Foundation

/// What it costs a daemon to record requests with their answers.
struct RecordingCost {
    private static let bound = 0.95

    private let scene: ServeScene
    private let folder: String
    private let daemons: [(program: Child, port: UInt16)]

    /// Starts two daemons over a scene: one that records nothing, and one that does.
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

    /// The rates of both, in turn.
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
                guard outcome.failures == 0 else { throw BenchError.data("lists were refused") }
                uncached[number].append(outcome.perSecond)
            }
        }
        func rate(_ number: Int) -> Double { Measuring.median(cached[number].map(\.perSecond)) }
        func microseconds(_ number: Int) -> Double { Measuring.median(cached[number].map(\.processorMicroseconds)) }
        let uncachedRates = uncached.map(Measuring.median)
        let (recorded, dropped) = try counts()
        return """
            {"benchmark":"serve","row":"recording","rounds":\(rounds),\
            "cachedPerSecond":\(Measuring.fixed(rate(0), 0)),"cachedRecordedPerSecond":\(Measuring.fixed(rate(1), 0)),\
            "processorMicroseconds":\(Measuring.fixed(microseconds(0), 2)),\
            "recordedProcessorMicroseconds":\(Measuring.fixed(microseconds(1), 2)),\
            "uncachedPerSecond":\(Measuring.fixed(uncachedRates[0], 0)),\
            "uncachedRecordedPerSecond":\(Measuring.fixed(uncachedRates[1], 0)),\
            "onTape":\(recorded),"dropped":\(dropped),\
            "uncachedRatio":\(Measuring.fixed(uncachedRates[1] / uncachedRates[0])),\
            "ratio":\(Measuring.fixed(rate(1) / rate(0))),"atLeast":\(Self.bound)}
            """
    }

    /// How many requests the second daemon has recorded, and how many it has not.
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
