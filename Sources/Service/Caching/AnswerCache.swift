import HTTP
import Synchronization

/// A cache of whole responses, except for the fields that belong to a single request.
///
/// A response is given again to the same request until the data behind it changes. Access is checked before the cache.
final class AnswerCache: Sendable {
    /// The members whose changes invalidate an answer.
    enum Subject {
        case everybody
        case member(String)

        fileprivate var memberID: String? {
            guard case .member(let id) = self else { return nil }
            return id
        }
    }

    /// An answer, as a handler makes it.
    struct Answer {
        var response: HTTPResponse
        /// The use of the session whose list it shows, or `nil` if it shows none; a cache hit counts as a use, too.
        var sessionUse: SessionUse?
        /// The pages of lists that it shows to members of experiments.
        var shownPages: [ShownPage] = []
        /// Whether it may be given again; a list that no session keeps is made anew each time.
        var isReusable = true
    }

    private struct Entry {
        let answer: Answer
        let stamp: ChangeClock.Stamp
        let madeAtMilliseconds: Int64
    }

    /// The longest time in the cache: no longer than the use of a session may go without being stored.
    static let lifetimeMilliseconds: Int64 = 60_000
    /// The approximate size of an entry in addition to its texts, in bytes.
    private static let overheadBytes = 256

    private let changes: ChangeClock
    /// The time, in Unix milliseconds.
    private let now: @Sendable () -> Int64
    private let entries: Mutex<RecentTable<AnswerKey, Entry>>
    private let hitCount = Atomic<UInt64>(0)
    private let missCount = Atomic<UInt64>(0)

    /// Creates a cache of a size in bytes, 2 or more.
    init(limitBytes: Int, changes: ChangeClock, now: @escaping @Sendable () -> Int64) {
        self.changes = changes
        self.now = now
        entries = Mutex(RecentTable(limit: limitBytes))
    }

    /// Returns the cached answer to a request, or else the result of `make`, which is cached if its status is 200.
    ///
    /// - Parameter make: makes the answer; it must read all its data after it is called.
    func answer(
        to key: AnswerKey, about subject: Subject, orMake make: () throws(Problem) -> Answer
    ) throws(Problem) -> Answer {
        // Taken before any data is read: a change in the meantime makes this stamp outdated.
        let stamp = changes.stamp(ofMember: subject.memberID)
        let instant = now()
        if let kept = entries.withLock({ $0.value(of: key) }), kept.stamp == stamp,
            // The clock may also be set back.
            (instant - kept.madeAtMilliseconds).magnitude <= Self.lifetimeMilliseconds.magnitude
        {
            hitCount.wrappingAdd(1, ordering: .relaxed)
            kept.answer.sessionUse?.note(atMilliseconds: instant)
            return kept.answer
        }
        missCount.wrappingAdd(1, ordering: .relaxed)
        let answer = try make()
        if answer.response.status == .ok, answer.isReusable {
            var kept = answer
            // Copied without spare capacity, which can be as large as the body.
            kept.response.body = unsafe answer.response.body.withUnsafeBytes { unsafe [UInt8]($0) }
            let entry = Entry(answer: kept, stamp: stamp, madeAtMilliseconds: instant)
            let weight = Self.overheadBytes + key.byteCount + kept.response.byteCount
            entries.withLock { $0.insert(entry, for: key, weight: weight) }
        }
        return answer
    }

    /// The number of cached answers, and their size in bytes.
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
    /// The approximate size in memory, in bytes.
    fileprivate var byteCount: Int {
        headers.fields.reduce(body.capacity) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// The parts of a request that decide its answer, byte for byte.
struct AnswerKey: Hashable {
    private let method: HTTPMethod
    /// The bytes as received: Swift's texts are equal if they look the same.
    private let target: [UInt8]
    private let takesGzip: Bool
    /// Whether there is a bearer token, which gives more details and other caching headers.
    private let hasBearer: Bool

    init(_ request: HTTPRequest, takesGzip: Bool, hasBearer: Bool) {
        method = request.method
        target = request.target
        self.takesGzip = takesGzip
        self.hasBearer = hasBearer
    }

    /// The size in memory in addition to its slot in a table, in bytes.
    var byteCount: Int { target.count }

    func hash(into hasher: inout Hasher) {
        // The target distinguishes nearly all keys, and hashing it as one piece is much faster than hashing an array.
        unsafe target.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}
