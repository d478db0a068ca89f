import CatalogStore
import CommandLineOptions
import FoundationEssentials
import Glibc
import HTTP
import HTTPClient
import ModelStore
import Recommendation
import Service
import Synchronization

/// A daemon in this process that a replay asks: over copies, so that nothing it is given changes, and with a clock that
/// shows the times of the tape.
final class ReplayDaemon: Sendable {
    /// Its address.
    var address: String { "http://127.0.0.1:\(daemon.port)" }

    private let daemon: Daemon
    private let folder: String
    private let clock: Clock

    private final class Clock: Sendable {
        let milliseconds: Atomic<Int64>
        init(_ milliseconds: Int64) { self.milliseconds = Atomic(milliseconds) }
    }

    /// Starts a daemon on a free port.
    ///
    /// - Parameter instant: what its clock shows at first, in Unix milliseconds.
    init(_ parsed: ParsedCommand, atMilliseconds instant: Int64) throws {
        let clock = Clock(instant)
        self.clock = clock
        let folder = FileManager.default.temporaryDirectory.path + "/coterie-replay-\(getpid())"
        self.folder = folder
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            let store = FixedVersionStore(try parsed.loadVersion(), of: try parsed.openStore())
            var configuration = Daemon.Configuration(
                try Self.deployment(store, parsed.text("catalog"), in: folder),
                log: EventLog(now: { instant }, write: { _ in }))
            configuration.server.port = 0
            configuration.live.planning.key = try parsed.rotationKey()
            configuration.live.planning.configuration = try parsed.deployedConfiguration()
            // What was recorded was let through once.
            configuration.live.rateLimits = RateLimits()
            configuration.live.quota = MemberQuota()
            configuration.now = { clock.milliseconds.load(ordering: .relaxed) }
            daemon = try Daemon(configuration)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Waits until it answers with its version.
    ///
    /// - Throws: `Failure` if it does not within a minute.
    func waitUntilReady() throws {
        let client = try HTTPClient(address)
        let deadline = ContinuousClock.now + .seconds(60)
        while try client.answer(to: "GET", "/readyz").status != 200 {
            guard ContinuousClock.now < deadline else {
                throw Failure(Failure.general, "the daemon of the replay does not get ready")
            }
            usleep(10_000)
        }
    }

    /// Sets the clock.
    func setClock(toMilliseconds instant: Int64) { clock.milliseconds.store(instant, ordering: .relaxed) }

    /// Stops the daemon.
    func stop() { daemon.stop() }

    private static func deployment(
        _ store: FixedVersionStore, _ catalog: String, in folder: String
    ) throws -> Deployment {
        guard FileManager.default.fileExists(atPath: catalog) else { return .groupsOnly(store) }
        let copy = folder + "/catalog.sqlite"
        _ = try Catalog.copy(catalog, to: copy)
        return .catalog(store, path: copy)
    }
}
