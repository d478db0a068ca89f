public import HTTP

extension Daemon {
    /// What a daemon serves, where, to whom, and how.
    public struct Configuration: Sendable {
        /// Where versions come from, what is known of members, and where changes are recorded.
        public var deployment: Deployment
        /// Where it listens, and its limits; without keys, the address must be of the loopback interface.
        public var server: HTTPServer.Configuration
        /// What can change while the daemon runs.
        public var live = LiveSettings()
        /// Gives new values of what can change; nil if nothing does.
        public var settingsSource: (any SettingsSource)?
        /// How often the source is asked; 10 milliseconds or more.
        public var settingsPollInterval = Duration.seconds(5)
        /// How often the store is asked which version is current, and the key file looked at; 10 milliseconds or more.
        public var pollInterval = Duration.milliseconds(500)
        /// How often the daemon checks whether other processes have changed the catalog; 10 milliseconds or more.
        public var changePollInterval = Duration.milliseconds(100)
        /// The memory of the answer cache, in bytes; 0 for no cache.
        public var answerCacheBytes = 32 << 20
        /// Where requests are recorded with their answers; nil for nowhere.
        public var tape: TapeSettings?
        /// How long a stop waits for responses that are being sent.
        public var stopGrace = Duration.seconds(10)
        /// Receives events: a start, a version, a failure, a refusal.
        public var log: EventLog
        /// The time, in Unix milliseconds.
        public var now: @Sendable () -> Int64 = { SystemClock.nowMilliseconds }

        /// A configuration with the usual intervals and limits, without keys.
        public init(
            _ deployment: Deployment, server: HTTPServer.Configuration = HTTPServer.Configuration(),
            log: EventLog = .standardError
        ) {
            self.deployment = deployment
            self.server = server
            self.log = log
        }

        /// Refuses addresses that other machines can reach where no tokens are required: then anybody who reaches the
        /// daemon may ask anything about anybody.
        func validate() throws(ServiceError) {
            guard live.access.keys != nil || server.address.hasPrefix("127.") || server.address == "::1" else {
                throw ServiceError(
                    .addressRefused,
                    """
                    the daemon does not listen at \(server.address) without keys to check tokens with: \
                    give it a key file, or use 127.0.0.1 or ::1
                    """)
            }
            for interval in [pollInterval, changePollInterval, settingsPollInterval]
            where interval < .milliseconds(10) || interval > .seconds(3600) {
                throw ServiceError(
                    .startFailed, "a poll interval is \(interval): it must be from 10 milliseconds to an hour")
            }
        }
    }
}
