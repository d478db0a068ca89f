/// The address of a Redis server, with the login: `redis://[user:password@]host[:port][/database]`.
///
/// In the user and the password, `%` and two hexadecimal digits stand for any byte. An IPv6 address is written in
/// brackets. An empty user is the default user: `redis://:password@host`. An encrypted server (`rediss://`) is reached
/// through stunnel. The error for such an address shows the settings of stunnel.
///
/// An address through Sentinels is `redis-sentinel://[user:password@]host[:port],host[:port]/NAME[/database]`. When a
/// connection is made, the Sentinels at these hosts name the primary of NAME.
package struct RedisAddress: Sendable, Equatable, CustomStringConvertible {
    /// The beginning of an address of a server.
    package static let scheme = "redis://"
    /// The forms of addresses, for messages.
    package static let forms =
        "redis://[user:password@]host[:port][/database], "
        + "or redis-sentinel://[user:password@]host[:port],…/NAME[/database]"
    /// The beginning of an address that Sentinels resolve.
    package static let sentinelScheme = "redis-sentinel://"
    /// The beginning of an address of an encrypted server, which this program cannot reach by itself.
    package static let encryptedScheme = "rediss://"
    /// The port of a server, if the address has none.
    package static let defaultPort = 6379
    /// The port of a Sentinel, if the address has none.
    package static let defaultSentinelPort = 26379

    /// Whether a text begins like an address.
    package static func hasScheme(_ text: String) -> Bool {
        [scheme, sentinelScheme, encryptedScheme].contains { text.hasPrefix($0) }
    }

    /// The path of the Unix socket of a server on this machine, or `nil` for a server reached over TCP.
    package let socketPath: String?
    /// The host name or IP address, without brackets; with Sentinels, that of the first one.
    package let host: String
    /// The port, from 1 to 65535; with Sentinels, that of the first one.
    package let port: Int
    /// The Sentinels that know the server, or `nil` if the host and the port are the server's own.
    package let sentinels: Sentinels?
    /// The user, or `nil` for the default user.
    package private(set) var user: String?
    /// The password, or `nil` to connect without a login.
    package private(set) var password: String?
    /// The source of the password for each new connection, or `nil` if the password stays the same.
    private var source: PasswordSource?
    /// The number of the database, 0 or more.
    package let database: Int

    package init(socketPath: String) {
        self.socketPath = socketPath
        sentinels = nil
        (host, port, user, password, database) = ("localhost", Self.defaultPort, nil, nil, 0)
    }

    /// Parses an address.
    ///
    /// - Throws: `RedisError.badAddress`, which names the wrong part and never shows the password.
    package init(_ text: String) throws(RedisError) {
        socketPath = nil
        guard Self.hasScheme(text) else {
            throw Self.bad("it begins with neither \(Self.scheme) nor \(Self.sentinelScheme)")
        }
        guard !text.hasPrefix(Self.encryptedScheme) else {
            throw Self.encrypted(try RedisAddress(Self.scheme + text.dropFirst(Self.encryptedScheme.count)))
        }
        let isNamed = text.hasPrefix(Self.sentinelScheme)
        let rest = text.dropFirst(isNamed ? Self.sentinelScheme.count : Self.scheme.count)
        guard !rest.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw Self.bad("it has a space or a control character: write % and two hexadecimal digits instead")
        }
        // The password may have an unescaped "/" or "@": the host begins after the last "@".
        let at = rest.lastIndex(of: "@")
        let location = at.map { rest[rest.index(after: $0)...] } ?? rest
        let slash = location.firstIndex(of: "/")
        let hosts = location[..<(slash ?? location.endIndex)]
        var path = slash.map { location[location.index(after: $0)...] } ?? ""
        if isNamed {
            sentinels = try Sentinels(hosts, path)
            (host, port) = (sentinels?.hosts.first?.host ?? "", sentinels?.hosts.first?.port ?? 0)
            path = path.firstIndex(of: "/").map { path[path.index(after: $0)...] } ?? ""
        } else {
            sentinels = nil
            (host, port) = try Self.hostAndPort(hosts, defaultPort: Self.defaultPort)
        }
        database = try Self.database(path)
        (user, password) = try at.map { at throws(RedisError) in try Self.credentials(rest[..<at]) } ?? (nil, nil)
    }

    /// Returns the address of the same server with another login.
    ///
    /// - Parameters:
    ///   - user: the user, or `nil` for the default user.
    ///   - password: the password, not empty.
    ///   - renew: returns the password for a new connection, or `nil` if it cannot be read; `password` is used then.
    package func loggingIn(user: String?, password: String, renew: (@Sendable () -> String?)? = nil) -> RedisAddress {
        var address = self
        (address.user, address.password) = (user, password)
        address.source = renew.map { PasswordSource(read: $0) }
        return address
    }

    /// The password for a new connection, or `nil` to connect without a login.
    ///
    /// The administrator may have replaced the password since the last connection.
    var newestPassword: String? { source?.read() ?? password }

    /// A function that returns a password; addresses are equal whatever it returns.
    private struct PasswordSource: Equatable {
        let read: @Sendable () -> String?

        static func == (one: PasswordSource, other: PasswordSource) -> Bool { true }
    }

    /// The address without the password.
    package var description: String {
        if let socketPath { return socketPath }
        let login = user.map { "\($0)@" } ?? ""
        if let sentinels { return "\(Self.sentinelScheme)\(login)\(sentinels)/\(database)" }
        return "\(Self.scheme)\(login)\(Endpoint(host: host, port: port))/\(database)"
    }

    static func hostAndPort(_ text: Substring, defaultPort: Int) throws(RedisError) -> (String, Int) {
        let host: Substring
        let portText: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw bad("\"[\" has no \"]\"") }
            host = text[text.index(after: text.startIndex)..<end]
            let tail = text[text.index(after: end)...]
            guard tail.isEmpty || tail.hasPrefix(":") else { throw bad("\"\(tail)\" after \"]\" is not a port") }
            portText = tail.isEmpty ? nil : tail.dropFirst()
            guard host.contains(":"), host.allSatisfy({ $0.isASCII && ($0.isHexDigit || ":.".contains($0)) }) else {
                throw bad("\"\(host)\" is not an IPv6 address")
            }
        } else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = parts[0]
            portText = parts.count == 2 ? parts[1] : nil
            guard !host.isEmpty else { throw bad("it has no host") }
            guard host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }) else {
                throw bad("\"\(host)\" is not a host name")
            }
        }
        guard let portText else { return (String(host), defaultPort) }
        guard let port = number(portText), (1...65535).contains(port) else {
            throw bad("\"\(portText)\" is not a port (1 to 65535); an IPv6 address must be in brackets")
        }
        return (String(host), port)
    }

    private static func database(_ text: Substring) throws(RedisError) -> Int {
        if text.isEmpty { return 0 }
        guard let database = number(text) else { throw bad("\"\(text)\" is not a database number (0 or more)") }
        return database
    }

    private static func credentials(_ text: Substring) throws(RedisError) -> (String?, String?) {
        guard let colon = text.firstIndex(of: ":") else {
            throw bad("the part before \"@\" must be user:password or :password")
        }
        let user = try decoded(text[..<colon], "user")
        let password = try decoded(text[text.index(after: colon)...], "password")
        guard !password.isEmpty else { throw bad("the password is empty") }
        return (user.isEmpty ? nil : user, password)
    }

    private static func decoded(_ text: Substring, _ part: String) throws(RedisError) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            let isHexadecimal = digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
            guard isHexadecimal, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else {
                throw bad("in the \(part), \"%\" is not followed by two hexadecimal digits")
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard let decoded = String(validating: bytes, as: UTF8.self) else { throw bad("the \(part) is not UTF-8") }
        return decoded
    }

    /// Parses a number that consists of digits only.
    private static func number(_ text: Substring) -> Int? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    /// Returns the error for an encrypted server, with settings of stunnel for it.
    private static func encrypted(_ address: RedisAddress) -> RedisError {
        let isNumber = address.host.contains(":") || address.host.allSatisfy { $0.isNumber || $0 == "." }
        let endpoint = Endpoint(host: address.host, port: address.port)
        return RedisError(
            .badAddress,
            """
            this program does not encrypt, but stunnel does: install it (Debian's stunnel4), write these lines to \
            /etc/stunnel/coterie.conf, run "systemctl enable --now stunnel@coterie", and instead of \
            \(encryptedScheme)… write \(scheme)…127.0.0.1:\(tunnelPort)/\(address.database), with the same user and \
            password (\(forms))
            foreground = yes
            [redis]
            client = yes
            accept = 127.0.0.1:\(tunnelPort)
            connect = \(endpoint)
            delay = yes
            CAfile = /etc/ssl/certs/ca-certificates.crt
            verifyChain = yes
            \(isNumber ? "checkIP" : "checkHost") = \(address.host)
            """)
    }

    /// The port of stunnel in examples.
    private static let tunnelPort = 6380

    static func bad(_ reason: String) -> RedisError {
        RedisError(.badAddress, "this is not the address of a Redis server: \(reason); write \(forms)")
    }
}

extension RedisAddress {
    /// A host and a port.
    package struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// The host name or IP address, without brackets.
        package let host: String
        /// The port, from 1 to 65535.
        package let port: Int

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    /// The Sentinels that know the primary among several servers.
    package struct Sentinels: Sendable, Equatable, CustomStringConvertible {
        /// The Sentinels' addresses, one or more.
        package let hosts: [Endpoint]
        /// The name under which the Sentinels watch the servers.
        package let name: String

        package var description: String { hosts.map(\.description).joined(separator: ",") + "/" + name }

        /// Parses hosts separated by commas, and a path that begins with the name.
        init(_ hosts: Substring, _ path: Substring) throws(RedisError) {
            var endpoints: [Endpoint] = []
            for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
                let (host, port) = try hostAndPort(host, defaultPort: defaultSentinelPort)
                endpoints.append(Endpoint(host: host, port: port))
            }
            self.hosts = endpoints
            name = String(path.prefix { $0 != "/" })
            guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
            else { throw bad("the name of the Sentinels' master is missing after them, such as /mymaster") }
        }
    }
}

extension RedisConnection {
    /// Connects to the server that the Sentinels name as the primary, unless it reports that it is a replica.
    ///
    /// - Throws: `RedisError.unreachable` if no Sentinel leads to a primary, for example while a replica is promoted.
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
                return try RedisConnection.connected(
                    to: address, at: RedisAddress.Endpoint(host: host, port: port), timeout: timeout,
                    replyTimeout: replyTimeout)
            } catch {
                reason = error.message
            }
        }
        throw RedisError(.unreachable, "no Sentinel of \(address) leads to a primary: \(reason)")
    }
}
