@testable import Operations
import Service
import TestSupport
import Testing

@Suite("The summary of a replay")
struct ReplaySummaryTests {
    private func exchange(_ sequence: UInt64, _ target: String = "/v1/a", status: Int = 200, tag: String? = nil)
        -> Exchange
    {
        Exchange(
            sequence: sequence, atMilliseconds: 0, method: "GET", target: target, route: "/v1/{x}", status: status,
            headers: tag.map { ["ETag": $0] } ?? [:], body: status == 200 ? Array("body \(sequence)".utf8) : [],
            microseconds: sequence)
    }

    @Test("Keeps the twenty that differ most, as sorting all of them does", arguments: 0..<10)
    func worst(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var summary = ReplaySummary()
        var all: [ReplayOutcome] = []
        for number in 1...UInt64(200) {
            let kind = Difference.Kind.allCases.randomElement(using: &generator) ?? .identical
            let overlaps: [Double?] = [nil, 0, 0.5, 1]
            let overlap = overlaps.randomElement(using: &generator) ?? nil
            let outcome = ReplayOutcome(
                exchange(number), Difference(kind, overlap: overlap), status: 200, microseconds: 2 * number)
            summary.add(outcome)
            if kind != .identical { all.append(outcome) }
        }
        let sorted = all.sorted { $0.isWorse(than: $1) }.prefix(20).map(\.exchange.sequence)
        #expect(summary.worst.map(\.exchange.sequence) == sorted)
        #expect(summary.worst.first?.difference.kind == .failed)
        let total = summary.total
        #expect(total.count == 200 && summary.routes["GET /v1/{x}"]?.count == 200)
        #expect(total.statusChangeCount == all.count { [.failed, .otherStatus].contains($0.difference.kind) })
    }

    @Test("Latencies are nearest ranks; limits say what exceeds them")
    func limits() {
        var summary = ReplaySummary()
        #expect(ReplayLimits().exceeded(by: summary).isEmpty && summary.total.identicalShare == nil)
        for number in 1...UInt64(200) {
            let kind: Difference.Kind = number <= 150 ? .identical : .otherGroups
            let overlap = number <= 150 ? 1 : 0.5
            summary.add(
                ReplayOutcome(
                    exchange(number), Difference(kind, overlap: overlap), status: 200, microseconds: 9 * number,
                    serverMicroseconds: 3 * number))
        }
        #expect(summary.total.roundTripMicroseconds(ofPart: 0.5) == 900)
        #expect(summary.total.recordedMicroseconds(ofPart: 0.5) == 100)
        #expect(summary.total.microseconds(ofPart: 0.99) == 594)
        #expect(summary.total.meanOverlap == 0.875 && summary.total.identicalShare == 0.75)
        var limits = ReplayLimits()
        (limits.identicalShare, limits.meanOverlap, limits.statusChangeCount, limits.latencyRatio) = (0.75, 0.875, 0, 3)
        #expect(limits.exceeded(by: summary).isEmpty)
        (limits.identicalShare, limits.meanOverlap, limits.latencyRatio) = (0.76, 0.88, 2.9)
        summary.add(ReplayOutcome(exchange(201), Difference(.failed), status: nil, microseconds: 0))
        #expect(limits.exceeded(by: summary).count == 4)
        summary.add(ReplayOutcome(exchange(202), Difference(.identical), status: 200, microseconds: 1))
        limits = ReplayLimits()
        limits.latencyRatio = 100
        #expect(limits.exceeded(by: summary).first?.contains("do not say how long") == true)
    }

    @Test("A tape of which nothing could be played, or that is not whole, passes no gate")
    func gaps() {
        var summary = ReplaySummary()
        var limits = ReplayLimits()
        limits.statusChangeCount = 0
        #expect(limits.exceeded(by: summary).first?.contains("nothing was played") == true)
        summary.add(ReplayOutcome(exchange(1), Difference(.identical), status: 200, microseconds: 1))
        #expect(limits.exceeded(by: summary).isEmpty)
        for change in [
            { $0.missingCount = 3 }, { $0.damagedCount = 1 }, { $0.cutFiles = ["a"] },
        ] as [(inout TapeCondition) -> Void] {
            summary.tape = TapeCondition()
            change(&summary.tape)
            #expect(limits.exceeded(by: summary).first?.contains("not whole") == true)
            var enough = limits
            enough.requestCount = 1
            #expect(enough.exceeded(by: summary).isEmpty)
            enough.requestCount = 2
            #expect(enough.exceeded(by: summary).first?.contains("1 requests were played") == true)
        }
    }

    @Test("The pages of a list are judged as one, and asked for as a client would")
    func pages() throws {
        func page(_ groups: [String], next: String?) -> [UInt8] {
            let rows = groups.enumerated().map { #"{"rank":\#($0.offset + 1),"groupId":"\#($0.element)"}"# }
            let last = next.map { #","next":"\#($0)""# } ?? ""
            return Array(#"{"recommendations":[\#(rows.joined(separator: ","))]\#(last)}"#.utf8)
        }
        func recorded(_ number: UInt64, _ target: String, _ body: [UInt8]) -> Exchange {
            var exchange = exchange(number, target)
            exchange.body = body
            return exchange
        }
        let first = recorded(1, "/v1/users/ann/recommendations?limit=2", page(["a", "b"], next: "b"))
        let second = recorded(2, "/v1/users/ann/recommendations?after=b&limit=2", page(["c", "d é"], next: "d é"))
        let third = recorded(3, "/v1/users/ann/recommendations?after=d%20%C3%A9&limit=2", page(["e"], next: nil))
        #expect(PageChain.page(of: first)?.list == PageChain.page(of: third)?.list)
        #expect(PageChain.page(of: third)?.after == "d é" && PageChain.page(of: first)?.after == nil)
        var chain = PageChain()
        func add(_ exchange: Exchange, _ body: [UInt8]) {
            let difference = Difference(
                recorded: (200, exchange.body), answer: (200, body), rules: ReplayRules())
            chain.add(ReplayOutcome(exchange, difference, status: 200, microseconds: 1), body: body)
        }
        // The same groups, otherwise divided: the second page begins behind another group.
        add(first, page(["a", "c"], next: "c"))
        #expect(chain.isPaged && chain.beginning(after: "b") == .after("c"))
        #expect(PageChain.request(second, after: "c").target == "/v1/users/ann/recommendations?after=c&limit=2")
        add(second, page(["b", "d é"], next: nil))
        #expect(chain.judged.map(\.difference.kind) == [.reordered, .reordered])
        #expect(chain.judged.map(\.isFurtherPage) == [false, true])
        #expect(chain.beginning(after: "d é") == .nowhere && chain.beginning(after: "x") == .unknown)
        chain.add(
            ReplayOutcome(third, .pageIsGone(third, ReplayRules()), status: 200, microseconds: 0), body: nil)
        #expect(chain.judged.map(\.difference.kind) == [.otherGroups, .otherGroups, .otherGroups])
        #expect(chain.judged[0].difference.went == ["e"])
    }

    @Test("What was not modified stands for what was sent before")
    func notModified() {
        var known = KnownBodies()
        let answers = [
            exchange(1, status: 304, tag: "t"), exchange(2, tag: "t"), exchange(3, status: 304, tag: "t"),
            exchange(4, status: 304, tag: "other"), exchange(5, "/v1/b", status: 304, tag: "t"),
            exchange(6, status: 404),
        ].map { known.unconditional($0) }
        #expect(answers.map { $0?.status } == [nil, 200, 200, nil, nil, 404])
        #expect(answers[2]?.body == Array("body 2".utf8) && answers[2]?.sequence == 3)
    }

    @Test("A tape answers in its order, then with the last again, and names the nearest target")
    func recordedAnswers() throws {
        let folder = try TemporaryDirectory()
        let writer = try TapeWriter(
            folder: folder.path, header: TapeHeader(release: "1", settings: "", memberNames: .ids))
        for recorded in [
            exchange(1), exchange(2, "/v1/b"), exchange(3, status: 304, tag: "t"), exchange(4),
            exchange(5, "/v1/a/b"),
        ] { writer.append(recorded) }
        try writer.writeBlock(atMilliseconds: 1)
        let answers = try RecordedAnswers(TapeReader(folder.path))
        #expect(answers.requestCount == 3)
        #expect((0..<3).map { _ in answers.next("GET", "/v1/a", body: [])?.sequence } == [1, 4, 4])
        #expect(answers.next("HEAD", "/v1/b", body: [])?.sequence == 2)
        #expect(answers.next("GET", "/v1/b", body: [1]) == nil && answers.next("PUT", "/v1/b", body: []) == nil)
        #expect(answers.nearest(to: "/v1/bb", method: "GET") == "/v1/b")
        #expect(answers.nearest(to: "/v1/a/c", method: "GET") == "/v1/a/b")
        #expect(answers.nearest(to: "/v1/a/b/c", method: "GET") == nil)
    }
}
