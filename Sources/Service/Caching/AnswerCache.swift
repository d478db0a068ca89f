import HTTP
import Synchronization

/// Answers that are given again to the same request for as long as nothing has changed; whole as they are sent, but
/// for what is one request's own.
///
/// Who may ask has been checked before a request comes here.
final class AnswerCache: Sendable {
    /// Whose changes make an answer another one.
    enum Subject {
        case everybody
        case member(String)

        fileprivate var memberID: String? {
            guard case .member(let id) = self else { return nil }
            return id
        }
    }

    /// An answer that was made.
    struct Answer {
        var response: HTTPResponse
        /// The session whose list it is of, which goes on when it is given again; nil if it is of none.
        var sessionUse: SessionUse?
        /// The pages of lists that it shows to members of experiments.
        var shownPages: [ShownPage] = []
    }

    private struct Entry {
        let answer: Answer
        let stamp: ChangeClock.Stamp
        let madeAtMilliseconds: Int64
    }

    /// How long an answer may be given again: no longer than the use of sessions may go without being stored.
    static let lifetimeMilliseconds: Int64 = 60_000
    /// What an entry takes beside its texts, in bytes, about.
    private static let overheadBytes = 256

    private let changes: ChangeClock
    /// The time, in Unix milliseconds.
    private let now: @Sendable () -> Int64
    private let entries: Mutex<RecentTable<AnswerKey, Entry>>
    private let hitCount = Atomic<UInt64>(0)
    private let missCount = Atomic<UInt64>(0)

    /// A cache of at most so many bytes, 2 or more.
    init(limitBytes: Int, changes: ChangeClock, now: @escaping @Sendable () -> Int64) {
        self.changes = changes
        self.now = now
        entries = Mutex(RecentTable(limit: limitBytes))
    }

    /// The answer that is kept for a request, else the one that `make` makes, which is kept if its status is 200.
    ///
    /// - Parameters:
    ///   - subject: whose changes make it another one.
    ///   - make: reads all that it needs when it is called, and not before.
    func answer(
        to key: AnswerKey, about subject: Subject, orMake make: () throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        // Before anything is read: what changes meanwhile leaves the answer with a stamp that is past.
        let stamp = changes.stamp(ofMember: subject.memberID)
        let instant = now()
        if let kept = entries.withLock({ $0.value(of: key) }), kept.stamp == stamp,
            // A clock may be set back as well.
            (instant - kept.madeAtMilliseconds).magnitude <= Self.lifetimeMilliseconds.magnitude
        {
            hitCount.wrappingAdd(1, ordering: .relaxed)
            kept.answer.sessionUse?.note(atMilliseconds: instant)
            return kept.answer
        }
        missCount.wrappingAdd(1, ordering: .relaxed)
        let answer = try make()
        if answer.response.status == .ok {
            var kept = answer
            // Without the room that was left for more of it: as much again, at worst.
            kept.response.body = unsafe answer.response.body.withUnsafeBytes { unsafe [UInt8]($0) }
            let entry = Entry(answer: kept, stamp: stamp, madeAtMilliseconds: instant)
            let weight = Self.overheadBytes + key.byteCount + kept.response.byteCount
            entries.withLock { $0.insert(entry, for: key, weight: weight) }
        }
        return answer
    }

    /// How many answers are kept, and their bytes.
    var size: (count: Int, bytes: Int) { entries.withLock { ($0.count, $0.weight) } }
}

extension AnswerCache: MetricSource {
    func write(to text: inout MetricsText) {
        let size = size
        text.counter(
            "coterie_answer_cache_hits_total", "Requests answered from the cache.", hitCount.load(ordering: .relaxed))
        text.counter(
            "coterie_answer_cache_misses_total", "Requests whose answer could have been in the cache, but was not.",
            missCount.load(ordering: .relaxed))
        text.gauge("coterie_answer_cache_entries", "Answers in the cache.", size.count)
        text.gauge("coterie_answer_cache_bytes", "Memory that the answers in the cache take, about.", size.bytes)
    }
}

extension HTTPResponse {
    /// What it takes in memory, in bytes, about.
    fileprivate var byteCount: Int {
        headers.fields.reduce(body.capacity) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// What requests have in common that get the same answer, byte for byte.
struct AnswerKey: Hashable {
    private let method: HTTPMethod
    /// The bytes as they came: to Swift, texts are equal already if they look the same.
    private let target: [UInt8]
    private let takesGzip: Bool
    /// Bearers of tokens are told more than others, and what others may keep of it differs.
    private let hasBearer: Bool

    init(_ request: HTTPRequest, takesGzip: Bool, hasBearer: Bool) {
        method = request.method
        target = request.target
        self.takesGzip = takesGzip
        self.hasBearer = hasBearer
    }

    /// What it takes in memory beside its slot in a table, in bytes.
    var byteCount: Int { target.count }

    func hash(into hasher: inout Hasher) {
        // The target tells nearly all keys apart; hashed as one piece, it takes a fraction of what an array takes.
        unsafe target.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
