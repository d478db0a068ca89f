import Basics
import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import SQLite
import Similarity
import Synchronization
import TestSupport

/// A catalog and a store in a folder of their own.
final class SmallCommunity {
    let directory: TemporaryDirectory
    let store: FolderStore
    var catalogPath: String { directory.path + "/catalog.sqlite" }
    private var filesWritten = 0
    private var runs: Int64 = 0

    init() throws {
        directory = try TemporaryDirectory()
        store = FolderStore(directory.path + "/store")
        _ = try Catalog(path: directory.path + "/catalog.sqlite", mode: .writing)
    }

    /// Groups and photos, a quarter of them private, with members and pools of very different sizes.
    static func random(seed: UInt64) throws -> SmallCommunity {
        let community = try SmallCommunity()
        var generator = SeededGenerator(seed: seed)
        func isPrivate() -> Bool { Int.random(in: 0..<4, using: &generator) == 0 }
        let groups = (0..<Int.random(in: 8...40, using: &generator)).map { _ in
            (isPrivate() ? "hidden-group-" : "group-") + String(UInt32.random(in: 0..<9999, using: &generator))
        }
        let photos = (0..<150).map { (isPrivate() ? "hidden-photo-" : "photo-") + String($0) }
        let users = (0..<60).map { "user-\($0)" }
        func visibility(_ id: String) -> String { id.hasPrefix("hidden") ? "private" : "public" }
        func pairs(_ entries: [String]) -> String {
            var lines: [String] = []
            for group in Set(groups).sorted() {
                let share = Double.random(in: 0...0.8, using: &generator)
                for entry in entries where Double.random(in: 0...1, using: &generator) < share {
                    lines.append("\(group),\(entry)\n")
                }
            }
            return lines.shuffled(using: &generator).joined()
        }
        try community.importing(.memberships, "group_id,user_id\n" + pairs(users))
        try community.importing(
            .groups,
            "group_id,visibility,title,join_policy\n"
                + groups.map {
                    "\($0),\(visibility($0)),Title of \($0),\(["open", "approval", "invite"][$0.count % 3])\n"
                }
                .joined())
        try community.importing(.photos, "photo_id,visibility\n" + photos.map { "\($0),\(visibility($0))\n" }.joined())
        try community.importing(.pools, "group_id,photo_id\n" + pairs(photos))
        return community
    }

    /// Imports a CSV text.
    func importing(_ kind: ImportKind, _ text: String) throws {
        filesWritten += 1
        let path = "\(directory.path)/\(filesWritten).csv"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        let options = ImportOptions(rejectsPath: directory.path + "/rejects.tsv")
        let catalog = try Catalog(path: catalogPath, mode: .writing)
        _ = try Importer(into: catalog, kind: kind, options: options).run([path])
    }

    /// Runs the job; every run is an hour after the one before.
    @discardableResult
    func recompute(
        into other: (any VersionStore)? = nil, observer: RecordingObserver = .init(),
        change: (inout RecomputeParameters) -> Void = { _ in }
    ) throws(Failure) -> RecomputeJob.Outcome {
        var parameters = RecomputeParameters(threads: 2)
        change(&parameters)
        runs += 1
        let job = RecomputeJob(
            catalogPath: catalogPath, store: other ?? store, parameters: parameters,
            startedAtMilliseconds: 1_795_000_000_123 + runs * 3_600_000)
        return try job.run(observer: observer)
    }

    /// How many groups are private, by SQL.
    func privateGroupCount() throws -> Int {
        let database = try Database(path: catalogPath, mode: .readOnly)
        let count = try database.prepare("SELECT count(*) FROM groups WHERE visibility = 1")
        _ = try count.step()
        return Int(count.integer(0))
    }

    /// The entries of every public group, public photos only, by SQL.
    func entries(_ relation: Relation) throws -> [(group: String, entries: Set<String>)] {
        let (table, thing) = relation == .photos ? ("pools", "photo") : ("memberships", "user")
        let condition = relation == .photos ? "AND photos.visibility = 0" : ""
        let database = try Database(path: catalogPath, mode: .readOnly)
        let groups = try database.prepare("SELECT group_id FROM groups WHERE visibility = 0")
        let rows = try database.prepare(
            """
            SELECT \(thing)_id FROM \(table) JOIN \(thing)s USING (\(thing)_key) JOIN groups USING (group_key)
            WHERE group_id = ? \(condition)
            """)
        var all: [(group: String, entries: Set<String>)] = []
        while try groups.step() {
            var entries: Set<String> = []
            rows.bind(groups.text(0), at: 1)
            while try rows.step() { entries.insert(rows.text(0)) }
            all.append((groups.text(0), entries))
        }
        return all.sorted { $0.group.utf8.lexicographicallyPrecedes($1.group.utf8) }
    }
}

/// Records the calls.
final class RecordingObserver: RecomputeObserver {
    private let notes = Mutex(
        (began: [String](), ended: [String](), warnings: [String](), estimate: RecomputeEstimate?.none))

    var began: [String] { notes.withLock { $0.began } }
    var ended: [String] { notes.withLock { $0.ended } }
    var warnings: [String] { notes.withLock { $0.warnings } }
    var estimate: RecomputeEstimate? { notes.withLock { $0.estimate } }

    func stepBegan(_ name: String) { notes.withLock { $0.began.append(name) } }
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) { notes.withLock { $0.estimate = estimate } }
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {
        precondition(remainingSeconds >= 0)
        precondition(done >= 0 && done <= total ?? .max, "step \(began.last ?? "?") is at \(done) of \(total ?? -1)")
    }
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {
        notes.withLock { $0.ended.append(report.name) }
    }
    func warn(_ message: String) { notes.withLock { $0.warnings.append(message) } }
}

extension ImportKind {
    /// The kinds of the product without what members tell: groups, users, photos, memberships and pools.
    static let ofGroups = ImportKind.all(of: RelationTable(RelationTable.standard.filter(\.isRequired)))
}
