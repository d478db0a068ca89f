public import HTTP
public import ModelStore

extension Daemon {
    /// What a daemon serves, where, to whom, and how.
    public struct Configuration: Sendable {
        /// Where versions are published.
        public var store: any VersionStore
        /// Who is a member of what; nil if nobody can say, and lists for users and photos are not served.
        public var directory: (any MemberDirectory)?
        /// What members do and the site decides; nil if nobody can keep it, and such changes are not taken.
        public var journal: (any Journal)?
        /// A file to keep changes in instead of a journal, where daemons share a store that has a channel.
        ///
        /// Who is a member of what is then what was published, with these changes; the directory, if there is one, only
        /// knows photos.
        public var sharedJournalPath: String?
        /// The lists of sessions on this machine, shared with other daemons if the store has a channel; nil to make a new
        /// list for every request.
        public var sessions: SessionFile?
        /// Where it listens, and its limits; without keys, the address must be of the loopback interface.
        public var server: HTTPServer.Configuration
        /// Who may ask what.
        public var access = AccessPolicy()
        /// How often clients may ask.
        public var rateLimits = RateLimits.usual
        /// How members' lists are made.
        public var planning = Planning()
        /// How often the store is asked which version is current, and the key file looked at; 10 milliseconds or more.
        public var pollInterval = Duration.milliseconds(500)
        /// How often is looked whether other processes have changed the catalog; 10 milliseconds or more.
        public var changePollInterval = Duration.milliseconds(100)
        /// How much memory answers may take that are given again, in bytes; 0 to make every answer anew.
        public var answerCacheBytes = 32 << 20
        /// How old a version may be before `/readyz` calls it stale.
        public var staleAfter = Duration.seconds(14 * 86400)
        /// How long a stop waits for responses under way.
        public var stopGrace = Duration.seconds(10)
        /// Takes what happens: a start, a version, a failure, a refusal.
        public var log: EventLog
        /// Whether the log takes every request.
        public var logsRequests = false
        /// The time, in Unix milliseconds.
        public var now: @Sendable () -> Int64 = { SystemClock.nowMilliseconds }

        /// A configuration with the usual intervals and limits, without a directory and without keys.
        public init(
            store: any VersionStore, directory: (any MemberDirectory)? = nil,
            server: HTTPServer.Configuration = HTTPServer.Configuration(), log: EventLog = .standardError
        ) {
            self.store = store
            self.directory = directory
            self.server = server
            self.log = log
        }

        /// Refuses addresses that other machines can reach where no tokens are asked for: whoever can ask is then told
        /// anything about anybody.
        func validate() throws(ServiceError) {
            guard access.keys != nil || server.address.hasPrefix("127.") || server.address == "::1" else {
                throw ServiceError(
                    .addressRefused,
                    """
                    the daemon does not listen at \(server.address) without keys to check tokens with: \
                    give it a key file, or use 127.0.0.1 or ::1
                    """)
            }
            for interval in [pollInterval, changePollInterval]
            where interval < .milliseconds(10) || interval > .seconds(3600) {
                throw ServiceError(
                    .startFailed, "a poll interval is \(interval): it must be from 10 milliseconds to an hour")
            }
        }
    }
}
