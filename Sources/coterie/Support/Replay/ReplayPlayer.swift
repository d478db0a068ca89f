import Basics
import CommandLine
import Dispatch
import HTTP
import Operations
import Service
import Synchronization

/// Plays the requests of a tape again and compares the answers.
final class ReplayPlayer: Sendable {
    /// The options of a replay.
    struct Options {
        var rules = ReplayRules()
        /// The factor of the recorded speed, or `nil` to send requests as fast as they are answered.
        var speed: Double?
        /// The number of connections; all requests of a member use the same one.
        var connectionCount = 8
        /// The token of all requests, or `nil` for none.
        var token: String?
        /// Whether requests that write are played, too.
        var includesChanges = false
    }

    /// A connection, and what was asked over it.
    private struct Line {
        let client: HTTPClient
        /// The lists of which further pages may come, by name.
        var chains: [String: PageChain] = [:]
    }

    /// A queue of requests for one connection.
    private struct Lane: Sendable {
        let line: Locked<Line>
        let queue: DispatchQueue
        /// A limit on waiting requests, so that the others stay on the tape.
        let room = DispatchSemaphore(value: 4)
    }

    /// The most lists of a lane of which further pages are awaited.
    private static let chainLimit = 5000

    /// The least step of the daemon's clock, which is set only while no request is in flight.
    private static let clockStepMilliseconds: Int64 = 1000

    private let options: Options
    private let setClock: (@Sendable (Int64) -> Void)?
    private let lanes: [Lane]
    private let summary = Mutex(ReplaySummary())
    private let underWay = DispatchGroup()

    /// Opens the connections.
    ///
    /// - Parameter setClock: sets the server's clock, in Unix milliseconds, or `nil` if the server has its own clock.
    init(
        _ address: String, _ options: Options, setClock: (@Sendable (Int64) -> Void)?
    ) throws(Failure) {
        self.options = options
        self.setClock = setClock
        var lanes: [Lane] = []
        for number in 0..<options.connectionCount {
            let line = Locked(Line(client: try HTTPClient(address)))
            lanes.append(Lane(line: line, queue: DispatchQueue(label: "lane-\(number)")))
        }
        self.lanes = lanes
    }

    /// Plays a tape to its end.
    ///
    /// - Parameter progress: called with the number of exchanges read so far.
    func play(_ reader: TapeReader, progress: (Int) -> Void) throws -> ReplaySummary {
        var known = KnownBodies()
        var clock: Int64?
        var begin: (at: Int64, instant: ContinuousClock.Instant)?
        var count = 0
        while let recorded = try reader.next() {
            count += 1
            progress(count)
            let exchange = known.unconditional(recorded)
            if let reason = reasonToLeaveOut(recorded) {
                summary.withLock { $0.leaveOut(because: reason) }
                continue
            }
            guard let exchange else {
                summary.withLock { $0.leaveOut(because: "not modified since before the tape") }
                continue
            }
            let start = begin ?? (at: exchange.atMilliseconds, instant: ContinuousClock.now)
            begin = start
            if let speed = options.speed {
                let milliseconds = Double(exchange.atMilliseconds - start.at) / speed
                Self.sleep(until: start.instant + Duration.milliseconds(1) * milliseconds)
            }
            if let setClock, abs(exchange.atMilliseconds - (clock ?? 0)) >= Self.clockStepMilliseconds {
                underWay.wait()
                setClock(exchange.atMilliseconds)
                clock = exchange.atMilliseconds
            }
            send(exchange)
        }
        underWay.wait()
        for lane in lanes { lane.line.withLock { endChains(of: &$0) } }
        return summary.withLock { summary in
            summary.tape = reader.condition
            return summary
        }
    }

    private func reasonToLeaveOut(_ exchange: Exchange) -> String? {
        guard let route = exchange.route else { return "of no route" }
        if options.rules.leftOut.contains(route) { return "left out by the rules" }
        if exchange.isChange, !options.includesChanges { return "writes" }
        // The tape has neither the tokens nor the request rates that led to a refusal.
        return [401, 403, 429].contains(exchange.status) ? "refused for a token or a rate" : nil
    }

    private func send(_ exchange: Exchange) {
        let lane = lanes[Int((exchange.member ?? exchange.target).hashValue.magnitude % UInt(lanes.count))]
        lane.room.wait()
        underWay.enter()
        lane.queue.async { [self] in
            lane.line.withLock { play(exchange, on: &$0) }
            lane.room.signal()
            underWay.leave()
        }
    }

    /// Plays an exchange, or keeps it for the judgement of its whole list.
    private func play(_ exchange: Exchange, on line: inout Line) {
        guard let page = PageChain.page(of: exchange) else {
            return add([played(exchange, as: exchange, line).outcome])
        }
        guard let after = page.after else {
            if let chain = line.chains.removeValue(forKey: page.list) { add(chain.judged) }
            let (outcome, body) = played(exchange, as: exchange, line)
            var chain = PageChain()
            chain.add(outcome, body: body)
            guard chain.isPaged else { return add([outcome]) }
            if line.chains.count >= Self.chainLimit { endChains(of: &line) }
            line.chains[page.list] = chain
            return
        }
        guard var chain = line.chains[page.list] else { return leaveOutPage() }
        switch chain.beginning(after: after) {
        case .unknown: return leaveOutPage()
        case .nowhere:
            let gone = Difference.pageIsGone(exchange, options.rules)
            chain.add(ReplayOutcome(exchange, gone, status: 200, microseconds: 0), body: nil)
        case .after(let group):
            let (outcome, body) = played(exchange, as: PageChain.request(exchange, after: group), line)
            chain.add(outcome, body: body)
        }
        line.chains[page.list] = chain
    }

    private func leaveOutPage() {
        summary.withLock { $0.leaveOut(because: "a page whose first page is not on the tape") }
    }

    private func endChains(of line: inout Line) {
        for chain in line.chains.values { add(chain.judged) }
        line.chains = [:]
    }

    private func add(_ outcomes: [ReplayOutcome]) {
        summary.withLock { summary in
            for outcome in outcomes { summary.add(outcome) }
        }
    }

    /// Sends a request, and compares the answer with the recorded one.
    private func played(
        _ exchange: Exchange, as request: Exchange, _ line: Line
    ) -> (outcome: ReplayOutcome, body: [UInt8]?) {
        var headers = request.requestHeaders
        headers["Coterie-Timing"] = "1"
        if let token = options.token { headers["Authorization"] = "Bearer \(token)" }
        let answer = try? line.client.answer(
            to: request.method, request.target, headers: headers, body: request.requestBody)
        let difference = Difference(
            recorded: (exchange.status, exchange.body), answer: answer.map { ($0.status, $0.body) },
            rules: options.rules)
        let outcome = ReplayOutcome(
            exchange, difference, status: answer?.status, microseconds: answer?.microseconds ?? 0,
            serverMicroseconds: answer?.serverMicroseconds)
        return (outcome, answer?.body)
    }

    private static func sleep(until due: ContinuousClock.Instant) {
        let rest = ContinuousClock.now.duration(to: due)
        guard rest > .zero else { return }
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + rest.inSeconds)
    }
}
