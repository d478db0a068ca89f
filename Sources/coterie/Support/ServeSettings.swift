import CommandLineOptions
import Service
import Tokens

/// What a running daemon can take up of its options.
enum ServeSettings {
    /// The settings.
    ///
    /// - Parameter keys: the keys that the daemon has; nil for none.
    /// - Throws: `UsageError` or `Failure` if one of them is wrong.
    static func live(_ parsed: ParsedCommand, keys: KeyRing?) throws -> LiveSettings {
        var settings = LiveSettings()
        settings.access = try access(parsed, keys)
        settings.rateLimits = RateLimits(
            bearers: [
                .member: try rate("member-rate", parsed), .admin: try rate("member-rate", parsed),
                .service: try rate("service-rate", parsed),
            ].compactMapValues(\.self), openArea: try rate("open-rate", parsed))
        settings.quota = try quota(parsed)
        settings.staleAfter = try parsed.duration("stale-after")
        settings.logsRequests = parsed.flag("log-requests")
        settings.crossOrigin = try crossOrigin(parsed)
        settings.planning.key = try parsed.rotationKey()
        settings.planning.configuration = try parsed.deployedConfiguration()
        return settings
    }

    /// The keys of the key file; nil if none is named.
    static func keys(_ parsed: ParsedCommand) throws -> KeyRing? {
        try parsed.textIfGiven("keys").map { path throws in try KeyRing(KeyFile(path: path)) }
    }

    private static func crossOrigin(_ parsed: ParsedCommand) throws(UsageError) -> CrossOriginPolicy {
        let origins = parsed.texts("allow-origin").flatMap { $0.split(separator: ",").map(String.init) }
        for origin in origins where !CrossOriginPolicy.isOrigin(origin) {
            throw UsageError(
                """
                --allow-origin is "\(origin)": give a scheme and a host in lower case, without a path, \
                such as https://photos.example
                """)
        }
        return CrossOriginPolicy(origins: origins)
    }

    /// The rate that an option gives, with twice as many in a burst; nil for no limit.
    private static func rate(_ option: String, _ parsed: ParsedCommand) throws(UsageError) -> RateLimit? {
        let perSecond = try parsed.integer(option)
        return perSecond > 0 ? RateLimit(perSecond: perSecond, burst: 2 * perSecond) : nil
    }

    private static func quota(_ parsed: ParsedCommand) throws(UsageError) -> MemberQuota {
        let perDay = try parsed.integer("member-interactions")
        guard perDay == 0 || perDay >= MemberQuota.fewestInteractions else {
            throw UsageError(
                "--member-interactions is \(perDay): a batch may have \(MemberQuota.fewestInteractions), so it is 0 or "
                    + "more than that")
        }
        let mebibytes = try parsed.integer("member-kept")
        return MemberQuota(
            interactionsPerDay: perDay > 0 ? perDay : nil, keptBytes: mebibytes > 0 ? mebibytes << 20 : nil)
    }

    private static func access(_ parsed: ParsedCommand, _ keys: KeyRing?) throws(UsageError) -> AccessPolicy {
        var policy = AccessPolicy(keys: keys, checker: parsed.tokenChecker)
        for name in parsed.texts("open").flatMap({ $0.split(separator: ",") }) {
            guard let area = Area(rawValue: String(name)) else {
                let names = Area.allCases.map(\.rawValue).joined(separator: ", ")
                throw parsed.badValue(
                    String(name), of: "open", expected: "one or more of \(names), separated by commas")
            }
            policy.openAreas.insert(area)
        }
        return policy
    }
}
