import CatalogStore
import Model
import ModelStore

/// Tells the daemons of a shared store that members are forgotten: changes in a stream of their own, as if a daemon had
/// made them.
///
/// No journal has them until a daemon has taken them. If the store loses them before, the next version lacks the
/// members all the same.
struct ForgettingStream {
    /// How many changes are sent at a time.
    private static let batchSize = 500

    /// The stream's name, unique among all.
    let origin = String(UInt64.random(in: .min ... .max), radix: 36)
    private let changes: [JournalStreams.Change]

    /// The number of the last change.
    var last: Int64 { Int64(changes.count) }

    /// - Parameter milliseconds: the present, in Unix milliseconds.
    init(forgetting users: [String], withPhotos: Bool, atMilliseconds milliseconds: Int64) {
        changes = users.enumerated().map { index, user in
            let change = CatalogChange.removal(
                RemovalChange(.member(user, withPhotos: withPhotos), atMilliseconds: milliseconds))
            return JournalStreams.Change(
                sequence: Int64(index + 1), stampMilliseconds: milliseconds + Int64(index), body: change.encoded)
        }
    }

    /// Adds the changes to the store.
    func send(to channel: SharedChannel) throws(StoreError) {
        var streams = try channel.journals()
        var rest = changes[...]
        while let first = rest.first {
            let sent = Int(first.sequence) - 1
            let expected = sent == 0 ? nil : StreamedNumbers(after: 0, last: Int64(sent), count: sent)
            let isDone = try streams.add(
                Array(rest.prefix(Self.batchSize)), to: origin, expecting: expected, isRemade: false)
            guard isDone else { throw StoreError(.corrupt, "somebody else writes to the stream \(origin)") }
            rest = rest.dropFirst(Self.batchSize)
        }
    }

    /// How many changes of members the streams of a store still have, by member and by the stream's name.
    ///
    /// What only says that a member is forgotten does not count, nor what nothing is left of.
    static func traces(of users: [String], in channel: SharedChannel) throws(StoreError)
        -> [BytewiseString: [String: Int]]
    {
        let users = Set(users.map(BytewiseString.init))
        var traces: [BytewiseString: [String: Int]] = [:]
        var streams = try channel.journals()
        for (origin, numbers) in try streams.survey() {
            var last = numbers.after
            while last < numbers.last {
                let found = try streams.changes(of: origin, after: last, limit: batchSize)
                for change in found {
                    guard let change = try? CatalogChange(encoded: change.body), change.tellsOfMember,
                        let user = change.userID.map(BytewiseString.init), users.contains(user)
                    else { continue }
                    traces[user, default: [:]][origin, default: 0] += 1
                }
                last = found.last?.sequence ?? numbers.last
            }
        }
        return traces
    }
}

extension CatalogChange {
    /// Whether it tells more of a member than that the site has removed them.
    fileprivate var tellsOfMember: Bool {
        switch self {
        case .member(let change): change.action != .record([])
        case .site: false
        case .removal(let change): change.forgottenUserID == nil
        }
    }
}
