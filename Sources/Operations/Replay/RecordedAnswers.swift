package import Basics
import RecordReading
package import Service
import Synchronization

/// The answers of a tape, to be given again to the same requests.
///
/// Two requests are the same if method, target and body are equal. The answers to a request come in the order of the
/// tape; the last one is then repeated. All answers are held in memory.
package final class RecordedAnswers: Sendable {
    private struct Request: Hashable {
        var method: String
        var target: String
        var body: [UInt8]
    }

    /// The most targets that are compared with a target that is not on the tape.
    private static let comparedLimit = 2_000

    private let answers: [Request: [Exchange]]
    private let givenCounts = Mutex<[Request: Int]>([:])

    /// Reads a whole tape.
    ///
    /// Answers of status 304 are left out: the server that gives the answers again handles entity tags itself.
    package init(_ reader: TapeReader) throws(Failure) {
        var answers: [Request: [Exchange]] = [:]
        while let exchange = try reader.next() {
            guard exchange.status != 304 else { continue }
            let request = Request(method: exchange.method, target: exchange.target, body: exchange.requestBody)
            answers[request, default: []].append(exchange)
        }
        self.answers = answers
    }

    package var requestCount: Int { answers.count }

    /// Returns the next answer to a request, or `nil` if the request is not on the tape.
    ///
    /// A HEAD request that is not on the tape gets the answer to the same GET request.
    package func next(_ method: String, _ target: String, body: [UInt8]) -> Exchange? {
        var request = Request(method: method, target: target, body: body)
        if method == "HEAD", answers[request] == nil { request.method = "GET" }
        guard let known = answers[request] else { return nil }
        let index = givenCounts.withLock { counts in
            defer { counts[request, default: 0] += 1 }
            return counts[request, default: 0]
        }
        return known[min(index, known.count - 1)]
    }

    /// Returns the most similar target on the tape, by edit distance.
    ///
    /// - Returns: `nil` if no target has the same method and number of segments.
    package func nearest(to target: String, method: String) -> String? {
        func segmentCount(_ target: String) -> Int { target.prefix { $0 != "?" }.count { $0 == "/" } }
        let count = segmentCount(target)
        let candidates = answers.keys.lazy.filter { $0.method == method && segmentCount($0.target) == count }
            .map(\.target).prefix(Self.comparedLimit)
        return candidates.map { (editDistance(target, $0), $0) }.min { $0 < $1 }?.1
    }
}

/// The bodies of earlier answers, which replace the missing bodies of recorded answers of status 304.
///
/// The entity tags must be equal. Only the last answer to each request is kept: a client may refer to an older one,
/// which is then not known.
package struct KnownBodies: Sendable {
    private struct Known {
        var tag: String
        var body: [UInt8]
    }

    /// The most answers that are kept; beyond that, all are dropped.
    private static let limit = 20_000

    private var known: [String: Known] = [:]

    package init() {}

    /// Returns an exchange as if the client had no cached answer: without a condition, and with the whole answer.
    ///
    /// - Returns: `nil` if the answer is not known.
    package mutating func unconditional(_ exchange: Exchange) -> Exchange? {
        let key = "\(exchange.method) \(exchange.target)"
        var exchange = exchange
        exchange.requestHeaders["If-None-Match"] = nil
        if exchange.status == 200, let tag = exchange.headers["ETag"] {
            if known.count >= Self.limit { known = [:] }
            known[key] = Known(tag: tag, body: exchange.body)
        }
        guard exchange.status == 304 else { return exchange }
        guard let before = known[key], before.tag == exchange.headers["ETag"] else { return nil }
        exchange.status = 200
        exchange.body = before.body
        return exchange
    }
}

/// A pattern of members of a JSON document, for a rule: names from the outside to the inside, with dots between them.
///
/// Lists add nothing to a path: `recommendations.score` is the score of every recommendation. `*` stands for one name,
/// `**` for any number of names, including none.
package struct MemberPath: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case name(String)
        case anyName
        case anyNames
    }

    private let parts: [Part]

    /// Reads a path, or returns `nil` if the path or one of its names is empty.
    package init?(_ text: String) {
        let names = text.split(separator: ".", omittingEmptySubsequences: false)
        guard !names.contains("") else { return nil }
        parts = names.map { name in
            switch name {
            case "*": .anyName
            case "**": .anyNames
            default: .name(String(name))
            }
        }
    }

    /// Whether the pattern matches a member.
    ///
    /// - Parameter names: the names of the enclosing members and of the member itself, from the outside to the inside.
    func matches(_ names: [String]) -> Bool { Self.matches(parts[...], names[...]) }

    private static func matches(_ parts: ArraySlice<Part>, _ names: ArraySlice<String>) -> Bool {
        guard let part = parts.first else { return names.isEmpty }
        switch part {
        case .anyNames:
            return matches(parts.dropFirst(), names) || (!names.isEmpty && matches(parts, names.dropFirst()))
        case .anyName: return !names.isEmpty && matches(parts.dropFirst(), names.dropFirst())
        case .name(let name): return names.first == name && matches(parts.dropFirst(), names.dropFirst())
        }
    }
}
