import Synchronization

/// The number and the durations of answers in the last days.
///
/// It keeps one reading of the counters for each hour, at most a week: about 20 KiB. The hours of earlier runs come
/// from the file of sessions, and each hour is kept there.
final class RequestHistory: Sendable {
    /// The time between two readings, in milliseconds.
    static let stepMilliseconds: Int64 = 3_600_000
    /// The most readings, inclusive.
    static let limit = 7 * 24 + 1

    /// The counters of all routes at a moment.
    struct Reading: Sendable, Equatable {
        /// The moment, in Unix milliseconds.
        var atMilliseconds: Int64
        /// The answers so far with at most the duration of each bound of `Histogram`; the last counts all.
        var cumulative: [UInt64]
        /// The answers so far with a status of 500 or more, except 501.
        var failures: UInt64
    }

    /// The answers between two readings.
    struct Hour: Sendable, Equatable {
        /// The start of the time, in Unix milliseconds.
        var startMilliseconds: Int64
        /// The end of the time, in Unix milliseconds.
        var endMilliseconds: Int64
        /// The number of answers.
        var answers: Int
        /// The number of failures among them.
        var failures: Int
        /// The bound that 99% of the answers kept, in microseconds; nil without answers, or beyond the last bound.
        var slowestMicroseconds: Int?
    }

    private let readings = Mutex<[Reading]>([])
    private let earlier: [Hour]

    /// Creates a history.
    ///
    /// - Parameter earlier: the hours of earlier runs, the oldest first.
    init(after earlier: [Hour] = []) { self.earlier = earlier }

    /// Adds a reading, which replaces the latest one until that is an hour after the one before.
    ///
    /// - Parameter read: the reading, taken while no other thread adds one: counters of a later one are never lower.
    func add(_ read: @autoclosure () -> Reading) {
        readings.withLock { readings in
            let reading = read()
            if let before = readings.dropLast().last, let latest = readings.last,
                latest.atMilliseconds - before.atMilliseconds < Self.stepMilliseconds
            {
                readings[readings.count - 1] = reading
            } else {
                readings.append(reading)
            }
            if readings.count > Self.limit { readings.removeFirst() }
        }
    }

    /// The hours, the oldest first; the last may not have ended.
    var hours: [Hour] { Array((earlier + own).suffix(Self.limit - 1)) }

    /// The hours of this run.
    private var own: [Hour] {
        let readings = readings.withLock { $0 }
        return zip(readings, readings.dropFirst()).map { before, after in
            let counts = zip(after.cumulative, before.cumulative).map { $0 &- $1 }
            let answers = counts.last ?? 0
            let bound = counts.dropLast().firstIndex { $0 * 100 >= answers * 99 }
            return Hour(
                startMilliseconds: before.atMilliseconds, endMilliseconds: after.atMilliseconds, answers: Int(answers),
                failures: Int(after.failures &- before.failures),
                slowestMicroseconds: answers == 0
                    ? nil : bound.map { Int(Histogram.boundsNanoseconds[$0] / 1000) })
        }
    }
}
