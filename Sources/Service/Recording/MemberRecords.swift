import ModelStore

/// Where a daemon has from who is a member of what, and where it keeps what members do.
struct MemberRecords {
    let directory: (any MemberDirectory)?
    let journal: (any Journal)?
    let sessions: SessionsInUse?
    /// Nil unless there are other daemons to tell.
    let pump: StreamPump?

    /// What a configuration asks for.
    ///
    /// - Throws: `ServiceError.startFailed` if a journal cannot be opened.
    init(_ configuration: Daemon.Configuration, follower: VersionFollower, changes: ChangeClock)
        throws(ServiceError)
    {
        let channel = configuration.store.channel
        let common = channel.flatMap { channel in configuration.sessions.map { SharedSessions(channel, local: $0) } }
        let kept: (any SessionStore)? = common ?? configuration.sessions
        let stored = kept.map { LoggedSessions($0, log: configuration.log) }
        sessions = stored.map { SessionsInUse($0) }
        guard let path = configuration.sharedJournalPath, let channel else {
            (directory, journal, pump) = (configuration.directory, configuration.journal, nil)
            return
        }
        let shared = try SharedJournal(
            path: path, changes: changes, snapshot: { follower.current.snapshot }, newest: { follower.current.newest },
            now: configuration.now)
        directory = SharedDirectory(
            configuration.store, journal: shared, photos: configuration.directory as? CatalogDirectory)
        journal = shared
        pump = StreamPump(
            channel, journal: shared, path: path, sessions: stored, follower: follower, log: configuration.log,
            now: configuration.now)
    }

    /// What others may change without telling; nil if nobody can.
    ///
    /// The journal of a catalog knows its own changes from those of others, the directory does not.
    var changeSource: (any ChangeSource)? { pump == nil ? journal ?? directory : directory }
}
