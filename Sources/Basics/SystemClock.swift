package import Glibc

/// The system's clocks.
package enum SystemClock {
    /// The time, in Unix milliseconds.
    package static var nowMilliseconds: Int64 { Int64(nanoseconds(CLOCK_REALTIME) / 1_000_000) }

    /// The nanoseconds since an unspecified moment in the past; they never decrease.
    package static var uptimeNanoseconds: UInt64 { nanoseconds(CLOCK_MONOTONIC) }

    /// Returns what a clock of the system shows, in nanoseconds.
    package static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
