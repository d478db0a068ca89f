import Basics
import HTTP
package import Service

/// The pages of one list, which are played and judged as one.
///
/// A page begins behind the last group of the page before. If that page has other groups now, the recorded group is not
/// in the list any more. So the next page is asked for as a client would ask: behind the group that the new answer
/// names.
package struct PageChain: Sendable {
    private var outcomes: [ReplayOutcome] = []
    /// The groups behind which pages begin: as recorded, and now; `nil` if the list has no further page now.
    private var links: [String: String?] = [:]

    package init() {}

    /// Returns the name of the list of a request, and the group behind which its page begins.
    ///
    /// - Returns: `nil` if the request is for no page of a list.
    package static func page(of exchange: Exchange) -> (list: String, after: String?)? {
        guard exchange.method == "GET", exchange.requestBody.isEmpty else { return nil }
        let parts = exchange.target.split(separator: "?", maxSplits: 1)
        let pairs = parts.count > 1 ? parts[1].split(separator: "&") : []
        let after = pairs.first { $0.hasPrefix(prefix) }
        let others = pairs.filter { !$0.hasPrefix(prefix) }.joined(separator: "&")
        let group = after?.dropFirst(prefix.count)
        // A daemon refuses a group that cannot be decoded.
        let decoded = group.map { (try? PercentEncoding.decode(Array($0.utf8)[...], plusIsSpace: true)) ?? String($0) }
        return ("\(parts[0])?\(others)", decoded)
    }

    private static let prefix = "after="

    /// The answer to the question where a page begins now.
    package enum Beginning: Sendable, Equatable {
        /// Behind this group.
        case after(String)
        /// Nowhere: the list has no further page now.
        case nowhere
        /// The page before is not on the tape.
        case unknown
    }

    /// Returns the beginning of a page now.
    ///
    /// - Parameter recorded: the group behind which the page began.
    package func beginning(after recorded: String) -> Beginning {
        guard let link = links[recorded] else { return .unknown }
        return link.map(Beginning.after) ?? .nowhere
    }

    /// Returns a request for the page behind another group.
    package static func request(_ exchange: Exchange, after group: String) -> Exchange {
        var exchange = exchange
        let parts = exchange.target.split(separator: "?", maxSplits: 1)
        let pairs = parts.count > 1 ? parts[1].split(separator: "&") : []
        exchange.target =
            "\(parts[0])?"
            + pairs.map { $0.hasPrefix(prefix) ? prefix + PercentEncoding.encode(group) : String($0) }.joined(
                separator: "&")
        return exchange
    }

    /// Adds a page.
    ///
    /// - Parameter body: the new answer, or `nil` if there is none.
    package mutating func add(_ outcome: ReplayOutcome, body: [UInt8]?) {
        outcomes.append(outcome)
        guard let recorded = JSON(outcome.exchange.body)?["next"]?.text else { return }
        links[recorded] = .some(body.flatMap { JSON($0)?["next"]?.text })
    }

    /// Whether a page follows the first one on the tape.
    package var isPaged: Bool { !links.isEmpty }

    /// The outcomes of all pages, each with the difference of the whole list.
    package var judged: [ReplayOutcome] {
        guard outcomes.count > 1 else { return outcomes }
        let kinds = outcomes.map(\.difference.kind)
        let (old, new) = outcomes.reduce(into: ([String](), [String]())) { lists, outcome in
            lists.0 += outcome.difference.groups.recorded
            lists.1 += outcome.difference.groups.now
        }
        var whole = outcomes[0].difference
        whole.kind =
            if kinds.contains(.failed) {
                .failed
            } else if kinds.contains(.otherStatus) {
                .otherStatus
            } else if kinds.allSatisfy({ $0 == .identical }) {
                .identical
            } else if old == new {
                .otherValues
            } else {
                Set(old) == Set(new) ? .reordered : .otherGroups
            }
        (whole.came, whole.went) = (new.filter { !Set(old).contains($0) }, old.filter { !Set(new).contains($0) })
        return outcomes.enumerated().map { index, outcome in
            var outcome = outcome
            outcome.difference = whole
            outcome.isFurtherPage = index > 0
            return outcome
        }
    }
}

extension Difference {
    /// Returns the difference of a page that the list does not have any more: all of its groups went.
    package static func pageIsGone(_ exchange: Exchange, _ rules: ReplayRules) -> Difference {
        let empty = Array(#"{"recommendations":[]}"#.utf8)
        return Difference(recorded: (exchange.status, exchange.body), answer: (200, empty), rules: rules)
    }
}
