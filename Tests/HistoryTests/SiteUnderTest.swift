import Basics
import CatalogStore
import Changes
import CommandLine
import Dispatch
import Foundation
import Model
import ModelStore
import Recompute
import Recommendation
import Redis
import Similarity
import Synchronization
import TestSupport

@testable import Service
@testable import coterie

/// The time at which daemons and jobs of a test work, in Unix milliseconds.
final class TestClock: Sendable {
    private let value = Atomic<Int64>(Timeline.start)

    var now: Int64 {
        get { value.load(ordering: .sequentiallyConsistent) }
        set { value.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

/// A catalog with a store and daemons, which a test moves on step by step.
final class SiteUnderTest {
    /// A daemon without its socket, threads and timers.
    private final class DaemonParts {
        let name: ReaderName
        let follower: VersionFollower
        let parts: DeploymentParts
        private var rounds: ReplicatorRounds?

        init(_ name: ReaderName, _ deployment: Deployment, _ planning: Planning, _ clock: TestClock) throws {
            self.name = name
            let (now, changes) = ({ @Sendable in clock.now }, ChangeClock())
            let log = EventLog(now: now) { _ in }
            follower = VersionFollower(
                store: deployment.store, needs: deployment.needs, planning: planning, changes: changes, log: log,
                now: now)
            follower.poll()
            parts = try DeploymentParts(deployment, follower: follower, changes: changes, log: log, now: now)
            rounds = try parts.replicator.map { replicator in try ReplicatorRounds(replicator, timeout: .seconds(20)) }
        }

        /// Sends and receives until there is nothing more; false if there was nothing at all.
        func exchange() throws -> Bool {
            var isActive = false
            while try rounds?.exchange() == true { isActive = true }
            return isActive
        }
    }

    let store: any VersionStore
    private let folder: TemporaryDirectory
    private let server: TemporaryRedis?
    private let catalogPath: String
    private let planning: Planning
    private let clock: TestClock
    private let command: ReaderName
    private var daemons: [DaemonParts] = []
    private var fileCount = 0
    private var makeDaemon: (ReaderName) throws -> DaemonParts = { throw PlayFailure(description: "no \($0)") }

    /// Makes a site of the community, with one version.
    init(inRedis: Bool, _ clock: TestClock) throws {
        folder = try TemporaryDirectory()
        self.clock = clock
        catalogPath = folder.path + "/catalog.sqlite"
        command = inRedis ? .redisCommand : .folderCommand
        server = inRedis ? try TemporaryRedis() : nil
        store =
            if let server {
                RedisStore(try RedisAddress(server.url), cacheDirectory: folder.path + "/cache")
            } else { FolderStore(folder.path + "/store") }
        planning = try Self.parsed(["recommend", "u00"]).planning()
        try FileManager.default.copyItem(atPath: try BaseCommunity.shared.get().catalogPath, toPath: catalogPath)
        try recompute(at: Timeline.start - 10_000_000)
        let (store, planning, catalogPath, folder) = (store, planning, catalogPath, folder.path)
        makeDaemon = { name in
            let deployment: Deployment =
                if let shared = store.shared {
                    .shared(
                        shared, journal: "\(folder)/journal-\(name)",
                        catalog: name == .redisWithCatalog ? catalogPath : nil)
                } else { .catalog(store, path: catalogPath, sessions: "\(folder)/sessions-\(name)") }
            return try DaemonParts(name, deployment, planning, clock)
        }
        let names: [ReaderName] = inRedis ? [.redis1, .redis2, .redisWithCatalog] : [.folder1, .folder2]
        daemons = try names.map(makeDaemon)
    }

    /// Ends a daemon as a kill would, and starts another one with its files.
    ///
    /// - Parameter losingJournal: whether the journal of a daemon beside Redis is gone.
    func restart(_ number: Int, losingJournal: Bool = false) throws {
        let name = daemons.remove(at: number).name
        for suffix in ["", "-wal", "-shm"] where losingJournal {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/journal-\(name)\(suffix)")
        }
        daemons.insert(try makeDaemon(name), at: number)
    }

    /// Lets one daemon follow the store, and send and receive once.
    func exchange(_ number: Int) throws {
        daemons[number].follower.poll()
        daemons[number].parts.community.noteOutsideChanges()
        _ = try daemons[number].exchange()
    }

    /// Applies all that was recorded to the catalog, and tells the store; returns the warnings.
    func apply() throws -> [String] {
        try CatalogLog.apply(to: catalogPath, store, relations: Coterie.relations, at: clock.now).warnings
    }

    /// Applies as `apply` does, in two processes at once; one that finds the catalog busy does nothing.
    func applyTwice() {
        let (path, store, now) = (catalogPath, store, clock.now)
        DispatchQueue.concurrentPerform(iterations: 2) { _ in
            _ = try? CatalogLog.apply(to: path, store, relations: Coterie.relations, at: now)
        }
    }

    /// Records a decision as a command does that is killed then.
    func record(_ decision: Change, at now: Int64) throws {
        try CatalogLog(besideCatalog: catalogPath, store).record([decision], at: now)
    }

    private func copyDatabase(_ from: String, to: String) throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: to + suffix)
            guard suffix != "-shm", FileManager.default.fileExists(atPath: from + suffix) else { continue }
            try FileManager.default.copyItem(atPath: from + suffix, toPath: to + suffix)
        }
    }

    /// Copies the catalog, while nobody writes.
    func copy() throws { try copyDatabase(catalogPath, to: folder.path + "/copy.sqlite") }

    /// Puts the copy in the place of the catalog; daemons end before, and start then.
    func restore() throws {
        let names = daemons.map(\.name)
        daemons = []
        try copyDatabase(folder.path + "/copy.sqlite", to: catalogPath)
        daemons = try names.map(makeDaemon)
    }

    /// Makes the store forget all but the versions.
    func loseStreams() throws {
        guard let server else {
            try? FileManager.default.removeItem(atPath: folder.path + "/store/site.json")
            return
        }
        var connection = try RedisConnection(to: RedisAddress(server.url))
        for pattern in ["journal*", "site", "ledger*", "sessions*"] {
            guard case .array(let keys) = try connection.command("KEYS", "coterie:\(pattern)") else { continue }
            for key in keys { _ = try connection.command("DEL", key.text ?? "") }
        }
    }

    private static func parsed(_ words: [String]) throws -> ParsedCommand {
        guard case .run(let parsed) = try Coterie.program.parse(words, environment: [:]) else {
            throw Failure(.badUsage, "the command asks for help")
        }
        return parsed
    }

    /// Makes a version, and makes it current; daemons take it up.
    func recompute(at instant: Int64) throws {
        var parameters = RecomputeParameters(threads: 1)
        parameters.isForced = true
        parameters.versionsKept = 9
        for relation in parameters.relations.relations {
            (parameters[relation].minimumEntries, parameters[relation].minimumCommon) = (1, 1)
        }
        let job = RecomputeJob(
            catalogPath: catalogPath, store: store, parameters: parameters, startedAtMilliseconds: instant)
        _ = try job.run(observer: SilentObserver())
        try exchange()
    }

    /// Makes an older version current; daemons take it up.
    func rollBack(to number: Int) throws {
        try store.makeCurrent(try store.versionNames()[number])
        try exchange()
    }

    /// Brings all daemons to the current version and to the same changes.
    ///
    /// - Parameter deaf: the number of a daemon that neither sends nor receives.
    func exchange(without deaf: Int? = nil) throws {
        for daemon in daemons {
            daemon.follower.poll()
            daemon.parts.community.noteOutsideChanges()
        }
        let others = daemons.indices.filter { $0 != deaf }.map { daemons[$0] }
        // The ledger is read in one round of 25, which is once a second.
        for _ in 0..<25 { while try others.map({ try $0.exchange() }).contains(true) {} }
    }

    /// Imports files of pairs.
    func importing(_ rows: [FileKind: [String]]) throws {
        for (kind, lines) in rows.sorted(by: { $0.key.rawValue < $1.key.rawValue }) where !lines.isEmpty {
            fileCount += 1
            let path = "\(folder.path)/\(fileCount).csv"
            _ = try CatalogLog.apply(to: catalogPath, store, relations: Coterie.relations, at: clock.now)
            try BaseCommunity.importing(kind.importKind, lines, from: path, into: catalogPath)
        }
    }

    /// Imports one group, and tells the store as an import does that is not killed before.
    func importGroup(_ id: String, visibility: String, tellsStore: Bool = true) throws {
        fileCount += 1
        let path = "\(folder.path)/\(fileCount).csv"
        try Data("group_id,visibility\n\(id),\(visibility)\n".utf8).write(to: URL(fileURLWithPath: path))
        let catalog = try Catalog(path: catalogPath, mode: .writing)
        let options = ImportOptions(rejectsPath: path + ".rejects")
        _ = try Importer(into: catalog, kind: .groups, options: options).run([path])
        if tellsStore { _ = try apply() }
    }

    /// Makes one of the versions current; daemons take it up when they ask.
    func makeCurrent(_ number: Int) throws {
        let names = try store.versionNames()
        try store.makeCurrent(names[number % names.count])
    }

    /// The functions that apply changes, by daemon; they may be called on several threads.
    var appliers: [@Sendable (Change) throws -> Bool] {
        daemons.map { daemon in
            let community = daemon.parts.community
            return { change in
                switch try community.apply(change) {
                case .member(.unknownSubject), .member(.unknownMember), .member(.otherContent): false
                case .site(.unknownGroup), .site(.privateGroup), .removal(.unknown), .renaming(.unknown): false
                default: true
                }
            }
        }
    }

    /// All that answer questions: the daemons, and the command line.
    func readers(of members: [String]) throws -> [Reader] {
        var readers = try daemons.map { daemon in
            guard let snapshot = daemon.follower.current.snapshot else {
                throw Failure(.unavailable, "the daemon has no version")
            }
            let community = daemon.parts.community
            return Reader(
                daemon.name, VisibleSnapshot(snapshot, try community.siteDecisions(in: snapshot)), community)
        }
        let parsed = try Self.parsed(
            ["recommend"] + members + ["--catalog", catalogPath, "--cache", folder.path + "/cache-of-command"]
                + ["--store", server?.url ?? folder.path + "/store"])
        let site = try Site(parsed, of: .some(members))
        readers.append(Reader(command, site.snapshot, site))
        return readers
    }
}

extension FileKind {
    var importKind: ImportKind {
        switch self {
        case .membership: .memberships
        case .favourite: .favourites
        case .follow: .follows
        }
    }

    /// Returns the row of a file.
    func row(_ member: String, _ subject: String, _ seconds: Int64?) -> String {
        let time = seconds.map { String($0) } ?? ""
        return self == .membership ? "\(subject),\(member),\(time)" : "\(member),\(subject),\(time)"
    }
}

/// The groups, photos and other members of all histories, in a catalog that sites copy.
struct BaseCommunity: Sendable {
    let catalogPath: String
    private let folder: TemporaryDirectory

    static let shared = Result { try BaseCommunity() }

    private init() throws {
        folder = try TemporaryDirectory()
        catalogPath = folder.path + "/catalog.sqlite"
        var random = SeededGenerator(seed: 1)
        var (memberships, pools): ([String], [String]) = ([], [])
        for user in Names.users {
            for group in Names.groups.shuffled(using: &random).prefix(5) {
                memberships.append("\(group),\(user),1690000000")
            }
        }
        for photo in Names.photos {
            for group in Names.groups.shuffled(using: &random).prefix(3) { pools.append("\(group),\(photo)") }
        }
        let owners = zip(Names.photos, Names.users).map { "\($0),\($1)" }
        for (kind, lines) in [
            (ImportKind.groups, Names.groups.map { "\($0)" }), (.photos, owners), (.memberships, memberships),
            (.pools, pools),
        ] {
            try Self.importing(kind, lines, from: "\(folder.path)/\(kind.name).csv", into: catalogPath)
        }
    }

    /// Imports lines of the first columns of a kind.
    static func importing(_ kind: ImportKind, _ lines: [String], from path: String, into catalogPath: String) throws {
        let columns = (lines.first ?? "").split(separator: ",", omittingEmptySubsequences: false).count
        let names = kind == .photos ? ["photo_id", "user_id"] : Array(kind.columnNames.prefix(columns))
        let text = ([names.joined(separator: ",")] + lines).joined(separator: "\n") + "\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let catalog = try Catalog(path: catalogPath, mode: .writing)
        var options = ImportOptions(rejectsPath: path + ".rejects")
        options.maximumRejectedShare = 0
        _ = try Importer(into: catalog, kind: kind, options: options).run([path])
    }
}

struct SilentObserver: RecomputeObserver {
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {}
    func stepBegan(_ name: String) {}
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {}
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {}
    func warn(_ message: String) {}
}
