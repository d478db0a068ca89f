import Answers
import Basics
import CatalogStore
import Changes
import CommandLine
import Experiments
import FoundationEssentials
import Glibc
import HTTP
import Model
import ModelStore
import Operations
import Recommendation
import Recompute
import Service
import Synchronization

/// A daemon in this process for a replay.
///
/// It works on copies, so that a replay changes no data. Its clock shows the times of the tape.
final class ReplayDaemon: Sendable {
    var address: String { "http://127.0.0.1:\(daemon.port)" }

    private let daemon: Daemon
    private let folder: ScratchFolder
    private let clock: Clock

    private final class Clock: Sendable {
        let milliseconds: Atomic<Int64>
        init(_ milliseconds: Int64) { self.milliseconds = Atomic(milliseconds) }
    }

    /// Starts a daemon on a free port.
    ///
    /// - Parameter instant: the first time of its clock, in Unix milliseconds.
    init(_ parsed: ParsedCommand, atMilliseconds instant: Int64) throws {
        let clock = Clock(instant)
        self.clock = clock
        folder = try ScratchFolder()
        var configuration = Daemon.Configuration(
            try Self.deployment(parsed, in: folder.path, atMilliseconds: instant),
            log: EventLog(now: { instant }, write: { _ in }))
        configuration.server.port = 0
        configuration.live.planning.key = try parsed.rotationKey()
        configuration.live.planning.configuration = try parsed.deployedConfiguration()
        // Recorded requests have passed the limits once already.
        configuration.live.rateLimits = RateLimits()
        configuration.live.quota = MemberQuota()
        configuration.now = { clock.milliseconds.load(ordering: .relaxed) }
        daemon = try Daemon(configuration)
    }

    /// Waits until the daemon is ready to serve its version.
    ///
    /// - Throws: `Failure` after a minute without success.
    func waitUntilReady() throws {
        let client = try HTTPClient(address)
        let deadline = ContinuousClock.now + .seconds(60)
        while try client.answer(to: "GET", "/readyz").status != 200 {
            guard ContinuousClock.now < deadline else {
                throw Failure(.general, "the daemon of the replay does not get ready")
            }
            usleep(10_000)
        }
    }

    func setClock(toMilliseconds instant: Int64) { clock.milliseconds.store(instant, ordering: .relaxed) }

    func stop() { daemon.stop() }

    private static func deployment(
        _ parsed: ParsedCommand, in folder: String, atMilliseconds instant: Int64
    ) throws -> Deployment {
        let (version, store, path) = (try parsed.loadVersion(), try parsed.openStore(), parsed.text("catalog"))
        let fixed = FixedVersionStore(version, of: store, atMilliseconds: instant)
        guard FileManager.default.fileExists(atPath: path) else {
            let sessions = folder + "/sessions"
            guard let channel = store.shared?.channel else { return .versionsOnly(fixed, sessions: sessions) }
            let streamed = try UntakenChanges(of: channel, beyond: version.manifest.taken)
            return .versionsOnly(fixed, recorded: streamed.decisions, sessions: sessions)
        }
        let copy = folder + "/catalog.sqlite"
        _ = try Catalog.copy(path, to: copy)
        // A replay obeys what the catalog has not taken, too: of a shared store, the site's decisions.
        if let channel = store.shared?.channel {
            let taken = try Facts(path: copy).appliedChanges()
            _ = try CatalogLog(besideCatalog: copy, fixed).record(
                UntakenChanges(of: channel, beyond: taken).decisions.changes, at: instant)
        } else if let log = Catalog.existingJournal(beside: path) {
            try ChangeJournal(path: log, mode: .reading).copy(to: Catalog.journalPath(beside: copy))
        }
        return .catalog(fixed, path: copy)
    }
}

/// A read-only store with one version of another store, which is current.
struct FixedVersionStore: VersionStore {
    private let store: any VersionStore
    private let version: LoadedVersion
    private let instant: Int64

    /// Creates a store.
    ///
    /// - Parameter instant: the time whose experiments run, in Unix milliseconds.
    init(_ version: LoadedVersion, of store: any VersionStore, atMilliseconds instant: Int64) {
        self.version = version
        self.store = store
        self.instant = instant
    }

    var location: String { store.location }
    func current() -> VersionName? { version.manifest.version }
    func versionNames() -> [VersionName] { [version.manifest.version] }
    func versions() -> [Manifest] { [version.manifest] }
    func pinned() -> Set<VersionName> { [] }
    func experiments() throws(Failure) -> [UInt8]? {
        let text = try store.experiments()
        return ExperimentRegister(encoded: text)?.asOf(instant).encoded ?? text
    }

    func load(_ name: VersionName) throws(Failure) -> LoadedVersion {
        guard name == version.manifest.version else { throw Failure(.unknownVersion, "there is no version \(name)") }
        return version
    }

    func site() throws(Failure) -> PublishedSite? { try store.site() }
    func siteMark() throws(Failure) -> [UInt8]? { try store.siteMark() }
    func setSite(_ site: PublishedSite) throws(Failure) { throw Self.refusal }
    func members(of loaded: LoadedVersion) throws(Failure) -> PublishedMembers? { try store.members(of: loaded) }

    func publish(
        _ model: EncodedModel, manifest: Manifest, members: (any MemberSource)?,
        progress: @Sendable (_ doneBytes: Int, _ totalBytes: Int) -> Void
    ) throws(Failure) -> Manifest { throw Self.refusal }

    func makeCurrent(_ version: VersionName) throws(Failure) { throw Self.refusal }
    func pin(_ version: VersionName, _ isPinned: Bool) throws(Failure) { throw Self.refusal }
    func prune(keeping count: Int) throws(Failure) -> [VersionName] { throw Self.refusal }

    func eraseMembers(
        of version: VersionName, mark: String, at now: Int64, where isForgotten: (_ id: ArraySlice<UInt8>) -> Bool
    ) throws(Failure) -> Int { throw Self.refusal }

    func replaceMembers(
        of version: VersionName, by members: any MemberSource, _ renewed: (Manifest) -> Manifest
    ) throws(Failure) { throw Self.refusal }

    func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(Failure) -> Bool { throw Self.refusal }

    private static let refusal = Failure(.fileFailed, "a replay changes no store")
}

/// Answers requests only from a tape.
struct TapeServer: Sendable {
    private static let headers = ["Content-Type", "ETag", "Cache-Control", "Retry-After", "Allow"]

    let answers: RecordedAnswers

    /// Returns the recorded answer to a request, or 404 with the most similar target on the tape.
    func answer(to request: HTTPRequest) -> HTTPResponse {
        let (method, target) = (request.method.rawValue, String(decoding: request.target, as: UTF8.self))
        guard let recorded = answers.next(method, target, body: request.body) else {
            return notOnTape(method, target)
        }
        var headers = HTTPHeaders()
        for name in Self.headers {
            if let value = recorded.headers[name] { headers.append(name: name, value: value) }
        }
        if let tag = recorded.headers["ETag"], request.headers["If-None-Match"] == tag {
            return HTTPResponse(status: .notModified, headers: headers)
        }
        return HTTPResponse(
            status: HTTPStatus(rawValue: recorded.status), headers: headers, body: recorded.body)
    }

    private func notOnTape(_ method: String, _ target: String) -> HTTPResponse {
        var problem = ProblemDetails(
            type: "urn:coterie:problem:not-on-tape", title: "Not on the tape", status: HTTPStatus.notFound.rawValue,
            detail: "there is no \(method) \(target) with this body on the tape")
        problem.near = answers.nearest(to: target, method: method).map { [$0] }
        return HTTPResponse(
            status: .notFound, headers: ["Content-Type": "application/problem+json"], body: problem.json)
    }
}
