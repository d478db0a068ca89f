import Basics
import Changes
import Model
import ModelStore
import Synchronization

/// The sums of what members did with lists on one UTC day, which name nobody.
struct ListDay: Codable, Equatable {
    /// The sums; a raw value is the place in an hour.
    enum Sum: Int, CaseIterable {
        /// Lists that were made: for a session, or in a batch.
        case lists
        case impressions, clicks, joins, dismissals
        /// Clicks, joins and dismissals that name no list of this site.
        case strangers
    }

    /// The day, in days since 1970.
    let day: Int64
    /// The name of the daemon that counted.
    let daemon: String
    /// The sums of each hour in which something happened.
    private(set) var hours: [Int: [Int]] = [:]
    /// The members who got lists.
    private(set) var members = DistinctCount()

    init(_ day: Int64, countedBy daemon: String = "") { (self.day, self.daemon) = (day, daemon) }

    mutating func add(_ sum: Sum, atHour hour: Int) {
        hours[hour, default: Sum.allCases.map { _ in 0 }][sum.rawValue] += 1
    }

    mutating func add(member id: String) { members.add(hash: Checksum.number(of: Array(id.utf8))) }

    /// Adds what another daemon counted on the same day.
    mutating func add(_ other: ListDay) {
        for (hour, sums) in other.hours where sums.count == Sum.allCases.count {
            hours[hour] = zip(hours[hour] ?? sums.map { _ in 0 }, sums).map(+)
        }
        members.add(other.members)
    }

    /// Returns a sum of the day, up to an hour, inclusive.
    func total(_ sum: Sum, through hour: Int = 23) -> Int {
        hours.reduce(0) { $0 + ($1.key <= hour ? $1.value[sum.rawValue] : 0) }
    }
}

/// Counts what members do with lists, and posts the sums on a board of the store, so that all daemons show the same.
///
/// Their place is a board and not the log of changes, because nobody applies them. They also stay longer: a log is
/// trimmed as soon as versions have its changes.
final class ListFigures: Sendable {
    /// The interval between two posts; a killed daemon loses no more.
    static let interval = Duration.seconds(60)
    /// The time after which an interaction no longer counts, in milliseconds.
    private static let lifetime: Int64 = 86_400_000

    private struct State {
        /// The days that are not on the board as they are here.
        var changed: Set<Int64> = []
        /// Today, and days that could not be posted.
        var days: [Int64: ListDay] = [:]
        /// The versions whose lists members may have.
        var versions: Set<String> = []
    }

    private let state = Mutex(State())
    private let store: any VersionStore
    /// A name of this process's own.
    private let name = String(UInt64.random(in: .min ... .max), radix: 36)

    init(_ store: any VersionStore) { self.store = store }

    private func change(at now: Int64, _ body: (inout ListDay, _ hour: Int) -> Void) {
        let (day, rest) = now.quotientAndRemainder(dividingBy: 86_400_000)
        state.withLock { state in
            body(&state.days[day, default: ListDay(day, countedBy: name)], Int(rest / 3_600_000))
            state.changed.insert(day)
        }
    }

    /// Counts a list that was made.
    func made(_ list: String, ofMember id: String, at now: Int64) {
        if let version = ExposureRecord.version(ofList: list) { state.withLock { _ = $0.versions.insert(version) } }
        change(at: now) { day, hour in
            day.add(.lists, atHour: hour)
            day.add(member: id)
        }
    }

    /// Counts a batch of interactions that was recorded.
    ///
    /// - Parameter new: the number of them that were not known before; a batch of both kinds does not count.
    func count(_ records: [InteractionRecord], new: Int, at now: Int64) {
        guard new == records.count else { return }
        let versions = state.withLock { $0.versions }
        for record in records where now - record.atMilliseconds <= Self.lifetime {
            let sum: ListDay.Sum
            switch record.kind {
            case .impression: sum = .impressions
            case .click: sum = .clicks
            case .join: sum = .joins
            case .dismiss: sum = .dismissals
            default: continue
            }
            let isKnown = record.recommendationID.flatMap(ExposureRecord.version).map(versions.contains) == true
            guard isKnown || sum != .impressions else { continue }
            change(at: now) { $0.add(isKnown ? sum : .strangers, atHour: $1) }
        }
    }

    /// Posts the days that have changed; what cannot be posted is kept for a later time.
    ///
    /// Each day has an entry, also one without lists: then it is no gap.
    func post(at now: Int64) {
        if state.withLock({ $0.days[now / 86_400_000] == nil }) { change(at: now) { _, _ in } }
        if let names = try? store.versions().map(\.version.description) {
            state.withLock { $0.versions.formUnion(names) }
        }
        let board = store.board(of: .lists)
        let changed = state.withLock { state in
            defer { state.changed = [] }
            return state.changed.compactMap { state.days[$0] }
        }
        for day in changed {
            do { try board?.post(JSON.encoded(day), ofDaemon: "\(day.day)-\(name)") } catch {
                state.withLock { _ = $0.changed.insert(day.day) }
            }
        }
        state.withLock { state in
            // A request that began yesterday may end today, and would post a new sum in the place of the old one.
            state.days = state.days.filter { $0.key >= now / 86_400_000 - 1 || state.changed.contains($0.key) }
        }
    }

    /// The days that any daemon has counted, each with the sums of all.
    var days: [Int64: ListDay] {
        let own = state.withLock { $0.days }
        let posted = ((try? store.board(of: .lists)?.reports()) ?? []).compactMap {
            try? JSON.decoded(ListDay.self, from: $0)
        }
        var days: [Int64: ListDay] = [:]
        for day in posted.filter({ $0.daemon != name || own[$0.day] == nil }) + own.values {
            days[day.day, default: ListDay(day.day)].add(day)
        }
        return days
    }
}
