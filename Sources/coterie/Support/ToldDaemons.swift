import Changes
import CommandLine
import FoundationEssentials
import ModelStore
import Service

/// The daemons of a store in Redis, which a command tells what it changed in the catalog.
///
/// With a store in a folder there is nobody to tell: the daemons share the catalog.
struct ToldDaemons {
    private let channel: SharedChannel?

    init(_ parsed: ParsedCommand) throws { channel = try parsed.openStore().shared?.channel }

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

    /// Returns the stream's name and its last number, for the catalog; nil if there is nobody to tell.
    func numbers(of stream: CommandStream) -> (origin: String, last: Int64)? {
        channel == nil || stream.last == 0 ? nil : (stream.origin, stream.last)
    }

    /// Sends changes, and removes the lists of members' sessions from the store.
    ///
    /// - Parameters:
    ///   - users: the members whose lists are removed.
    ///   - done: the part that is done already, for the message of a failure.
    ///   - again: the thing to do after a failure.
    func tell(_ stream: CommandStream, forgettingSessionsOf users: [String] = [], done: String, again: String) throws {
        guard let channel, stream.last > 0 else { return }
        do throws(StoreError) {
            var streams = try channel.journals()
            do throws(ChangeError) { try stream.send(to: &streams) } catch { throw StoreError(error) }
            for user in users { try channel.forgetSessions(ofUser: user) }
        } catch {
            throw Failure(
                Failure.tryLater,
                "\(done), but the daemons of \(channel.location) were not told: \(error.message); \(again)")
        }
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
