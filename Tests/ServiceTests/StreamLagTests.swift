import Changes
import Model
import Testing

@testable import Service

@Suite("How far a daemon is behind the streams")
struct StreamLagTests {
    private func exchange(here: [String: Int64], streams: [String: Int64], taken: [String: Int64] = [:])
        -> ChangeExchange
    {
        ChangeExchange(
            here: here.mapValues { SequenceRange(after: 0, last: $0) },
            streams: streams.mapValues { StreamedNumbers(after: 0, last: $0, count: Int($0)) },
            prunable: AppliedChanges(taken))
    }

    @Test("is nothing while all changes are here, or in all versions")
    func complete() {
        var lag = StreamLag(since: 1000)
        #expect(lag.milliseconds(at: 1500) == 500)
        lag.note(exchange(here: ["a": 7, "own": 9], streams: ["a": 7, "own": 4]), at: 2000)
        #expect(lag.missing == 0 && lag.milliseconds(at: 2000) == 0)
        lag.note(exchange(here: ["a": 7], streams: ["a": 7, "b": 3], taken: ["b": 3]), at: 3000)
        #expect(lag.missing == 0 && lag.milliseconds(at: 3040) == 40)
    }

    @Test("grows from the last complete moment while changes are missing")
    func missing() {
        var lag = StreamLag(since: 0)
        lag.note(exchange(here: ["a": 5], streams: ["a": 5]), at: 1000)
        lag.note(exchange(here: ["a": 5], streams: ["a": 8, "b": 2]), at: 2000)
        lag.note(exchange(here: ["a": 6], streams: ["a": 8, "b": 2]), at: 3000)
        #expect(lag.missing == 4 && lag.milliseconds(at: 3000) == 2000)
        lag.note(exchange(here: ["a": 8, "b": 2], streams: ["a": 8, "b": 2]), at: 4000)
        #expect(lag.missing == 0 && lag.milliseconds(at: 4000) == 0)
    }

    @Test("stays small while new changes come all the time, of which some are always missing")
    func steady() {
        var lag = StreamLag(since: 0)
        for round in 1...100 as ClosedRange<Int64> {
            // What the streams had in the round before is here.
            lag.note(exchange(here: ["a": 10 * (round - 1)], streams: ["a": 10 * round]), at: 100 * round)
            #expect(lag.missing == 10)
            if round > 3 { #expect((100...200).contains(lag.milliseconds(at: 100 * round))) }
        }
    }
}
