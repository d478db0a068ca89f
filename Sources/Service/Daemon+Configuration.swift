public import HTTP
public import ModelStore
public import Recommendation

extension Daemon {
    /// Takes one line, without its end; called from several threads at a time.
    public typealias Log = @Sendable (_ line: String) -> Void

    /// What a daemon serves, where, and how.
    public struct Configuration: Sendable {
        /// Where versions are published.
        public var store: any VersionStore
        /// Who is a member of what; nil if nobody can say, and lists for users and photos are not served.
        public var directory: (any MemberDirectory)?
        /// Where it listens, and its limits; the address must be of the loopback interface.
        public var server: HTTPServer.Configuration
        /// How relations are blended.
        public var weights = RelationWeights()
        /// How often the store is asked which version is current; 10 milliseconds or more.
        public var pollInterval = Duration.milliseconds(500)
        /// How long a stop waits for responses under way.
        public var stopGrace = Duration.seconds(10)
        /// Takes what happens: a start, a version, a failure.
        public var log: Log
        /// Takes a JSON object for every request; nil to log none.
        public var requestLog: Log?
        /// The time, in Unix milliseconds.
        public var now: @Sendable () -> Int64 = { WallClock.nowMilliseconds }

        /// A configuration with the usual intervals, without a directory.
        public init(
            store: any VersionStore, directory: (any MemberDirectory)? = nil,
            server: HTTPServer.Configuration = HTTPServer.Configuration(),
            log: @escaping Log = { StandardErrorLog.write($0) }
        ) {
            self.store = store
            self.directory = directory
            self.server = server
            self.log = log
        }

        /// Refuses addresses that other machines can reach: whoever can ask is told anything about anybody.
        func validate() throws(ServiceError) {
            guard server.address.hasPrefix("127.") || server.address == "::1" else {
                throw ServiceError(
                    .addressRefused,
                    """
                    the daemon does not listen at \(server.address), because it does not yet ask clients for a token: \
                    use 127.0.0.1 or ::1
                    """)
            }
            guard pollInterval >= .milliseconds(10), pollInterval <= .seconds(3600) else {
                throw ServiceError(
                    .startFailed, "the poll interval is \(pollInterval): it must be from 10 milliseconds to an hour")
            }
        }
    }
}
