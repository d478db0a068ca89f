import CatalogStore
import Changes
import CommandLine
import FoundationEssentials
import ModelStore
import Recompute
import Service

/// The daemons of a store in Redis, which a command tells what it decides before it changes the catalog.
///
/// With a store in a folder there is nobody to tell: the daemons share the catalog.
final class ToldDaemons {
    private let channel: SharedChannel?
    private let catalogPath: String
    private var log: DecisionLog?
    /// The reason why the decisions were not sent.
    private var failure: StoreError?

    init(_ parsed: ParsedCommand) throws {
        channel = try parsed.openStore().shared?.channel
        catalogPath = parsed.text("catalog")
    }

    /// The name of the store, or nil if there is nobody to tell.
    var location: String? { channel?.location }

    /// Returns a stamp after those of all changes in the streams, in milliseconds; the present time by a right clock.
    ///
    /// If the streams cannot be read, it is the present time; sending fails later, and says so.
    func stampMilliseconds() -> Int64 {
        let now = ParsedCommand.nowMilliseconds
        guard let channel, var streams = try? channel.journals(), let latest = try? streams.latestStampMilliseconds()
        else { return now }
        return ChangeStamp.milliseconds(at: now, after: latest)
    }

    /// Records decisions, and sends them with those that earlier commands left.
    ///
    /// From then on they are carried out, whatever happens to this command: see `DecisionLog`.
    ///
    /// - Returns: the name and the last number of the decisions, for the catalog; nil if there is nobody to tell.
    func record(_ decisions: [Change], atMilliseconds now: Int64) throws -> (origin: String, last: Int64)? {
        guard let channel, !decisions.isEmpty else { return nil }
        let log = try DecisionLog(besideCatalog: catalogPath, for: channel)
        let name = try log.record(decisions, at: now)
        do throws(StoreError) { _ = try log.send() } catch { failure = error }
        self.log = log
        return (name.origin, name.sequence)
    }

    /// Changes the catalog as the recorded decisions say.
    ///
    /// - Returns: nil if another program writes to the catalog, which gets the decisions with the next recompute.
    func applying<Result>(_ body: () throws -> Result) throws -> Result? {
        do { return try body() } catch let error as CatalogError where error.code == .busy && log != nil {
            printToStandardError(
                """
                another program writes to the catalog: the decision is recorded, and the next recompute changes the \
                catalog
                """)
            return nil
        }
    }

    /// Drops the recorded decisions that the daemons and the catalog have.
    ///
    /// - Throws: `Failure` if the daemons could not be told.
    func finish(_ catalog: Catalog) throws {
        guard let log, let location else { return }
        if let failure {
            throw Failure(
                Failure.tryLater,
                """
                the catalog is changed, but the daemons of \(location) were not told: \(failure.message); the decision \
                is kept in \(DecisionLog.path(besideCatalog: catalogPath)), and the next delete, forget, rename or \
                recompute tells them
                """)
        }
        // What stays in the log is sent and dropped the next time.
        try? log.prune(try catalog.appliedChanges())
    }

    /// The line that says who was told, for people; nil if there is nobody to tell.
    var line: String? { location.map { "the daemons of \($0) were told" } }
}

extension ParsedCommand {
    /// The option for the file of a daemon's sessions.
    static let sessionsOption = Option(
        "sessions", "FILE", help: "The lists of a daemon's sessions (default: next to the catalog)")

    /// The path of the file of a daemon's sessions.
    var sessionsPath: String { textIfGiven("sessions") ?? text("catalog") + "-sessions" }

    /// Removes the lists of members' sessions in the file of a daemon, and returns their number.
    func forgetSessions(ofUsers users: [String]) throws(ServiceError) -> Int {
        guard !users.isEmpty, let kept = try SessionFileReader(path: sessionsPath) else { return 0 }
        var count = 0
        for user in users where try kept.count(ofUser: user) > 0 { count += try kept.forget(ofUser: user) }
        return count
    }
}
