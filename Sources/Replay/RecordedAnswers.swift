import Synchronization
public import Tape
import TextDistance

/// The answers of a tape, to be given to the same requests again.
///
/// A request is the same if method, target and body are. Its answers come in the order of the tape, then the last one
/// again. Needs memory for all of them.
public final class RecordedAnswers: Sendable {
    private struct Request: Hashable {
        var method: String
        var target: String
        var body: [UInt8]
    }

    /// How many targets are compared with one that is not on the tape.
    private static let comparedLimit = 2_000

    private let answers: [Request: [Exchange]]
    private let givenCounts = Mutex<[Request: Int]>([:])

    /// Reads a tape to its end.
    ///
    /// Answers of status 304 are left out: whoever gives the answers knows the tags.
    public init(_ reader: TapeReader) throws(TapeError) {
        var answers: [Request: [Exchange]] = [:]
        while let exchange = try reader.next() {
            guard exchange.status != 304 else { continue }
            let request = Request(method: exchange.method, target: exchange.target, body: exchange.requestBody)
            answers[request, default: []].append(exchange)
        }
        self.answers = answers
    }

    /// How many different requests there are.
    public var requestCount: Int { answers.count }

    /// The next answer to a request; nil if it is not on the tape.
    public func next(_ method: String, _ target: String, body: [UInt8]) -> Exchange? {
        var request = Request(method: method, target: target, body: body)
        if method == "HEAD", answers[request] == nil { request.method = "GET" }
        guard let known = answers[request] else { return nil }
        let index = givenCounts.withLock { counts in
            defer { counts[request, default: 0] += 1 }
            return counts[request, default: 0]
        }
        return known[min(index, known.count - 1)]
    }

    /// The target on the tape that is most like another, of those with as many segments; nil if there is none.
    public func nearest(to target: String, method: String) -> String? {
        func segmentCount(_ target: String) -> Int { target.prefix { $0 != "?" }.count { $0 == "/" } }
        let count = segmentCount(target)
        let candidates = answers.keys.lazy.filter { $0.method == method && segmentCount($0.target) == count }
            .map(\.target).prefix(Self.comparedLimit)
        return candidates.map { (editDistance(target, $0), $0) }.min { $0 < $1 }?.1
    }
}
