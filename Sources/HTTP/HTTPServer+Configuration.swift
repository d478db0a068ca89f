extension HTTPServer {
    /// Where a server listens, and its limits: there is a bound on everything that a client can make it store or
    /// wait for.
    public struct Configuration: Sendable {
        /// The address to listen at: numeric, IPv4 or IPv6.
        public var address = "127.0.0.1"
        /// The port; 0 takes any free port.
        public var port: UInt16 = 0
        /// Threads that receive requests and run the handler, from 1 to 256.
        public var threadCount = 2
        /// Connections served at a time by all threads together, from `threadCount` to 65536; for one more, the one
        /// that has been idle for longest is closed.
        public var connectionLimit = 1024
        /// Connections beyond `connectionLimit`, if none is idle, that are refused (see `Refusal`) and closed, from 0
        /// to 4096; more wait to be accepted.
        public var surplusConnectionLimit = 64
        /// Connections open at a time from one address, 0 for no limit; more are closed at once.
        public var connectionLimitPerAddress = 0
        /// How long a connection may be idle between two requests, from 1 to 3600 seconds.
        public var idleTimeoutSeconds = 15
        /// How long a request may take to arrive in full, however steadily its bytes trickle in.
        ///
        /// The time starts when a new connection is opened, and for a later request when its first byte arrives.
        public var receiveTimeout = Duration.seconds(10)
        /// How long a client may take to accept a whole response.
        public var sendTimeout = Duration.seconds(30)
        /// The longest request line and header fields together, in bytes, inclusive; from 2 KiB to 1 MiB.
        public var headerLimitBytes = 16 * 1024
        /// The longest body, in bytes, inclusive; from 0 to 64 MiB.
        public var bodyLimitBytes = 64 * 1024

        /// The defaults.
        public init() {}

        /// Checks that every limit is within its bounds.
        func validate() throws(HTTPError) {
            func require(_ value: Int, in bounds: ClosedRange<Int>, _ name: String) throws(HTTPError) {
                guard !bounds.contains(value) else { return }
                let allowed = "from \(bounds.lowerBound) to \(bounds.upperBound)"
                throw HTTPError(.badConfiguration, "\(name) is \(value): it must be \(allowed)")
            }
            try require(threadCount, in: 1...256, "threadCount")
            try require(connectionLimit, in: threadCount...65536, "connectionLimit")
            try require(surplusConnectionLimit, in: 0...4096, "surplusConnectionLimit")
            try require(connectionLimitPerAddress, in: 0...65536, "connectionLimitPerAddress")
            try require(idleTimeoutSeconds, in: 1...3600, "idleTimeoutSeconds")
            try require(headerLimitBytes, in: 2048...(1 << 20), "headerLimitBytes")
            try require(bodyLimitBytes, in: 0...(64 << 20), "bodyLimitBytes")
            for (timeout, name) in [(receiveTimeout, "receiveTimeout"), (sendTimeout, "sendTimeout")] {
                guard timeout <= .zero || timeout > .seconds(3600) else { continue }
                throw HTTPError(.badConfiguration, "\(name) is \(timeout): it must be from more than zero to an hour")
            }
        }
    }
}
