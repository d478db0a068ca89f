import Basics
package import HTTP
import Synchronization

extension Daemon {
    /// The configuration of a daemon: its data, its address and its settings.
    package struct Configuration: Sendable {
        /// The store of versions, the source of members, and the place for changes.
        package var deployment: Deployment
        /// The catalog that is not there yet; nil if the deployment is complete.
        package var awaited: AwaitedCatalog?
        /// The address, the port and the limits of the server; without keys, the address must be a loopback address.
        package var server: HTTPServer.Configuration
        /// The settings that can change while the daemon runs.
        package var live = LiveSettings()
        /// The source of changed settings; nil if the settings never change.
        package var settingsSource: (any SettingsSource)?
        /// The interval between two reads of `settingsSource`, from 10 milliseconds to an hour, inclusive.
        package var settingsPollInterval = Duration.seconds(5)
        /// The interval between two checks of the store and the key file, from 10 milliseconds to an hour, inclusive.
        package var pollInterval = Duration.milliseconds(500)
        /// The interval between two checks for changes to the catalog, from 10 milliseconds to an hour, inclusive.
        package var changePollInterval = Duration.milliseconds(100)
        /// The memory of the answer cache, in bytes; 0 for no cache.
        package var answerCacheBytes = 32 << 20
        /// Whether there are pages for operators below `/admin`.
        package var hasPages = false
        /// The recording of requests with their answers; nil to record none.
        package var tape: TapeSettings?
        /// The longest time that a stop waits for responses that are being sent.
        package var stopGrace = Duration.seconds(10)
        /// The longest time of a stop, with the writes of what waits in memory: less than the unit's `TimeoutStopSec=`.
        package var stopLimit = Duration.seconds(15)
        /// The time between a signal to stop and the end.
        package var drain = Drain(.zero)
        /// The log of events, such as a start, a new version, a failure or a refusal.
        package var log: EventLog
        /// The clock, in Unix milliseconds.
        package var now: @Sendable () -> Int64 = { SystemClock.nowMilliseconds }

        /// Creates a configuration with the usual intervals and limits, without keys.
        package init(
            _ deployment: Deployment, server: HTTPServer.Configuration = HTTPServer.Configuration(),
            log: EventLog = .standardError
        ) {
            self.deployment = deployment
            self.server = server
            self.log = log
        }

        /// Checks the address and the intervals.
        ///
        /// Without keys, everybody who reaches the daemon may ask for the data of any member. An address that other
        /// machines can reach is then refused.
        ///
        /// - Throws: `Failure` with the code `general`.
        func validate() throws(Failure) {
            guard live.access.keys != nil || server.address.hasPrefix("127.") || server.address == "::1" else {
                throw Failure(
                    .general,
                    """
                    the daemon does not listen at \(server.address) without keys to check tokens with: \
                    give it a key file, or use 127.0.0.1 or ::1
                    """)
            }
            for interval in [pollInterval, changePollInterval, settingsPollInterval]
            where interval < .milliseconds(10) || interval > .seconds(3600) {
                throw Failure(
                    .general, "a poll interval is \(interval): it must be from 10 milliseconds to an hour")
            }
        }
    }
}

/// The time after a stop signal in which a daemon still answers, and readiness checks fail.
///
/// A load balancer needs some checks to notice that a daemon is about to stop. Without this time, it would send
/// requests to a daemon that takes no more connections.
package final class Drain: Sendable {
    /// The length of that time, in whole seconds.
    package let time: Duration
    private let hasBegun = Atomic(false)

    package init(_ time: Duration) { self.time = time }

    /// Whether the daemon was told to stop.
    var isUnderWay: Bool { hasBegun.load(ordering: .relaxed) }

    func begin() { hasBegun.store(true, ordering: .relaxed) }
}
