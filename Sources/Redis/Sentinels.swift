extension RedisAddress {
    /// A host and a port.
    public struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// A name or an IP address, without brackets.
        public let host: String
        /// The port, from 1 to 65535.
        public let port: Int

        /// As addresses have it.
        public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// Sentinels, which know which of several servers is the primary.
    public struct Sentinels: Sendable, Equatable, CustomStringConvertible {
        /// Where they are, one or more.
        public let hosts: [Endpoint]
        /// The name under which they watch the servers.
        public let name: String

        /// As addresses have it.
        public var description: String { hosts.map(\.description).joined(separator: ",") + "/" + name }

        /// Reads hosts with commas between them, and a path that begins with the name.
        init(_ hosts: Substring, _ path: Substring) throws(RedisError) {
            var endpoints: [Endpoint] = []
            for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
                let (host, port) = try hostAndPort(host, defaultPort: defaultSentinelPort)
                endpoints.append(Endpoint(host: host, port: port))
            }
            self.hosts = endpoints
            name = String(path.prefix { $0 != "/" })
            guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
            else { throw bad("after the Sentinels comes no name of what they watch, such as /mymaster") }
        }
    }
}

extension RedisConnection {
    /// Connects to the server that Sentinels name as the primary, once it says itself that it is.
    ///
    /// - Throws: `RedisError.unreachable` if none of them leads to one, as while a replica is promoted.
    static func primary(
        of sentinels: RedisAddress.Sentinels, for address: RedisAddress, timeout: Duration, replyTimeout: Duration
    ) throws(RedisError) -> RedisConnection {
        var reason = ""
        for sentinel in sentinels.hosts {
            do throws(RedisError) {
                let plain = try RedisAddress("\(RedisAddress.scheme)\(sentinel)")
                var asked = try RedisConnection.connected(
                    to: plain, at: sentinel, timeout: timeout, replyTimeout: timeout)
                let reply = try asked.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.name)
                guard case .array(let words) = reply, words.count == 2, let host = words[0].text,
                    let port = words[1].text.flatMap({ Int($0) }), (1...65535).contains(port)
                else { throw RedisError(.unreachable, "\(sentinel) does not watch \(sentinels.name)") }
                var server = try RedisConnection.connected(
                    to: address, at: RedisAddress.Endpoint(host: host, port: port), timeout: timeout,
                    replyTimeout: replyTimeout)
                guard case .array(let role) = try server.command("ROLE"), role.first?.text == "master" else {
                    throw RedisError(.unreachable, "\(host):\(port) is not the primary")
                }
                return server
            } catch {
                reason = error.message
            }
        }
        throw RedisError(.unreachable, "no Sentinel of \(address) leads to a primary: \(reason)")
    }
}
