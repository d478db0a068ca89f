import RecordReading
public import Service
import Synchronization

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

/// The bodies that recorded answers of status 304 stand for: those that were sent before, with the same tag.
///
/// Keeps the last answer to each request only: what a client has may be older, and is then not known.
public struct KnownBodies: Sendable {
    private struct Known {
        var tag: String
        var body: [UInt8]
    }

    /// How many requests' answers are kept; beyond them, it begins anew.
    private static let limit = 20_000

    private var known: [String: Known] = [:]

    /// Knows nothing.
    public init() {}

    /// An exchange as if the client had had nothing yet: without a condition, and with the whole answer.
    ///
    /// - Returns: nil if the answer is not known.
    public mutating func unconditional(_ exchange: Exchange) -> Exchange? {
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

/// Which members of a JSON document a rule is about: names from the outside to the inside, with dots between them.
///
/// Lists add nothing to a path: `recommendations.score` is the score of every recommendation. `*` stands for any one
/// name, `**` for any number of names, also none.
public struct MemberPath: Sendable, Equatable {
    private enum Part: Sendable, Equatable {
        case name(String)
        case anyName
        case anyNames
    }

    private let parts: [Part]

    /// Reads a path; nil if it is empty, or a name in it is.
    public init?(_ text: String) {
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

    /// Whether it is about a member.
    ///
    /// - Parameter names: of the member and of all those that it is in, from the outside to the inside.
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
