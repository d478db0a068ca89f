import Changes
import Model
import TestSupport
import Testing

@Suite("Changes on their way between journals, streams and the catalog")
struct ExchangeTests {
    private static let stepsOfOneRun = 500

    /// The first seed for which something goes wrong, and what.
    private func firstFault(_ seeds: Range<UInt64>, _ rules: ExchangeRules = ExchangeRules()) -> String? {
        for seed in seeds {
            var simulation = ExchangeSimulation(seed: seed, rules: rules)
            do throws(ExchangeSimulation.Fault) {
                for _ in 0..<Self.stepsOfOneRun { try simulation.step() }
                try simulation.heal()
            } catch { return "seed \(seed): \(error)" }
        }
        return nil
    }

    @Test(
        "Nothing acknowledged is lost, nor applied twice, whatever happens to daemons, server and recompute",
        arguments: [0, 1])
    func simulation(half: UInt64) {
        #expect(firstFault(half * 1000..<(half + 1) * 1000) == nil)
    }

    @Test("A taker that accepts gaps is found out")
    func acceptingGaps() {
        var rules = ExchangeRules()
        rules.verdict = { $1 > $0.last ? .next : .repeated }
        #expect(firstFault(0..<200, rules) != nil)
    }

    @Test("A journal that removes what it has sent is found out")
    func pruningEarly() {
        var rules = ExchangeRules()
        rules.prunable = { _, _, exchange in AppliedChanges(exchange.streams.mapValues(\.last)) }
        #expect(firstFault(0..<200, rules) != nil)
    }

    @Test("A journal that removes what the newest version has, though an older one may serve, is found out")
    func pruningForNewest() {
        var rules = ExchangeRules()
        rules.prunable = { listed, _, _ in listed.last ?? .none }
        #expect(firstFault(0..<200, rules) != nil)
    }

    @Test("A daemon that remembers what it has sent, and does not look whether it is there, is found out")
    func remembering() {
        var rules = ExchangeRules()
        rules.steps = { daemon in
            var exchange = daemon.exchange
            for (origin, last) in daemon.sent {
                let after = exchange.needed(of: origin).after
                exchange.streams[origin] = StreamedNumbers(after: after, last: last, count: Int(last - after))
            }
            return exchange.steps
        }
        #expect(firstFault(0..<200, rules) != nil)
    }

    @Test("What is to be done follows from what both sides have")
    func steps() {
        func steps(
            _ here: SequenceRange?, _ stream: StreamedNumbers?, earlier: StreamedNumbers? = nil, prunable: Int64 = 0
        ) -> [ChangeExchange.Step] {
            ChangeExchange(
                here: here.map { ["a": $0] } ?? [:], streams: stream.map { ["a": $0] } ?? [:],
                earlierStreams: earlier.map { ["a": $0] } ?? [:], prunable: AppliedChanges(["a": prunable])
            ).steps
        }
        func remake(after last: Int64) -> [ChangeExchange.Step] { [.add("a", after: last, isRemade: true)] }
        let whole = StreamedNumbers(after: 2, last: 9, count: 7)
        #expect(steps(nil, nil) == [])
        #expect(steps(.init(after: 2, last: 9), whole) == [])
        #expect(steps(.init(after: 2, last: 12), whole) == [.add("a", after: 9, isRemade: false)])
        #expect(steps(.init(after: 2, last: 5), whole) == [.take("a", after: 5)])
        // The stream was lost, in whole or in part.
        #expect(steps(.init(after: 2, last: 9), nil) == remake(after: 2))
        #expect(steps(.init(after: 1, last: 9), whole) == remake(after: 1))
        #expect(steps(.init(after: 2, last: 9), .init(after: 2, last: 9, count: 6)) == remake(after: 2))
        // Another daemon may be filling it, unless it stands still.
        let short = StreamedNumbers(after: 2, last: 3, count: 1)
        #expect(steps(.init(after: 4, last: 9), short) == [])
        #expect(steps(.init(after: 4, last: 9), short, earlier: short) == remake(after: 4))
        // Not what all versions have.
        #expect(steps(.init(after: 1, last: 9), whole, prunable: 2) == [])
        #expect(steps(.init(after: 1, last: 9), nil, prunable: 9) == [])
        #expect(steps(nil, whole) == [.wait("a", through: 2)])
        #expect(steps(nil, whole, prunable: 2) == [.take("a", after: 2)])
        #expect(steps(.init(after: 0, last: 1), whole, prunable: 4) == [.take("a", after: 4)])
        #expect(
            steps(.init(after: 0, last: 9), .init(after: 0, last: 0, count: 0, isOpen: false)) == remake(after: 0))
        // Nothing can be added behind what was there and is gone.
        let closed = StreamedNumbers(after: 2, last: 9, count: 7, isOpen: false)
        #expect(steps(.init(after: 2, last: 12), closed) == remake(after: 2))
        #expect(steps(.init(after: 2, last: 5), closed) == [.take("a", after: 5)])
    }

    @Test("What waits to be sent is what the stream does not have and versions lack")
    func waiting() {
        let exchange = ChangeExchange(
            here: ["a": .init(after: 2, last: 9), "b": .init(after: 0, last: 3), "c": .init(after: 0, last: 5)],
            streams: ["a": .init(after: 0, last: 6, count: 6)], prunable: AppliedChanges(["b": 3, "c": 4]))
        #expect(exchange.waiting == ["a": .init(after: 6, last: 9), "c": .init(after: 4, last: 5)])
    }
}
