/// What a running daemon takes up without a restart.
public struct LiveSettings: Sendable {
    /// Which requests need which tokens; whether there are keys, and which, does not change.
    public var access = AccessPolicy()
    /// Which sites' pages may read answers in a browser.
    public var crossOrigin = CrossOriginPolicy()
    /// How many requests clients may make.
    public var rateLimits = RateLimits.usual
    /// How much of what each member does is recorded.
    public var quota = MemberQuota.usual
    /// How members' lists are made.
    public var planning = Planning()
    /// How old a version may be before `/readyz` calls it stale.
    public var staleAfter = Duration.seconds(14 * 86400)
    /// Whether every request is logged.
    public var logsRequests = false

    /// The usual settings, without keys.
    public init() {}
}

/// Gives a daemon new settings while it runs.
public protocol SettingsSource: Sendable {
    /// The settings, if what they are read from has changed since they were last asked for.
    ///
    /// - Parameter isForced: whether it is read in any case.
    /// - Returns: nil if nothing has changed.
    /// - Throws: once for each change that cannot be used; its description says why.
    func changes(isForced: Bool) throws -> SettingsChange?
}

/// Settings that were read again.
public struct SettingsChange: Sendable {
    /// What can be taken up now.
    public var live: LiveSettings
    /// The names of the settings that have changed and are taken up now.
    public var taken: [String]
    /// The names of those that differ from what the daemon was started with, and need a restart.
    public var waiting: [String]

    /// A change.
    public init(live: LiveSettings, taken: [String], waiting: [String]) {
        self.live = live
        self.taken = taken
        self.waiting = waiting
    }
}
