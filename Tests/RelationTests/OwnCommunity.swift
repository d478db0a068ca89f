import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import Similarity
import TestSupport

/// A community with a relation that the product does not have: who has a bookmark of which group.
struct OwnCommunity {
    static let table = RelationSource(table: "bookmarks", of: .users, timeColumn: "added_at")
    static let bookmarks = RelationDescription(
        "bookmarks", singular: "bookmark", meaning: "groups that the same people keep",
        of: .table(table), weight: 2, minimumEntries: 2, minimumCommon: 2)
    static let relations = RelationTable(
        Array(RelationTable.standard) + [bookmarks], memberTables: RelationTable.standard.memberTables)

    let directory: TemporaryDirectory
    let store: FolderStore
    var catalogPath: String { directory.path + "/catalog.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        store = FolderStore(directory.path + "/store")
    }

    /// Six people are members of `alps` and `birds`; four of them have `alps` and `cats` among their bookmarks.
    ///
    /// Two of the four have `dogs` as well. Nobody is a member of `cats` or of `dogs`, and no photo is in a pool.
    static func filled() throws -> OwnCommunity {
        let community = try OwnCommunity()
        let members = (1...6).flatMap { ["alps,u\($0)", "birds,u\($0)"] }
        try community.importing(.memberships, ["group_id,user_id"] + members)
        let bookmarks = (1...4).flatMap { ["alps,u\($0),1700000000", "cats,u\($0),1700000001"] }
        try community.importing(
            .relation(Self.table),
            ["group_id,user_id,added_at"] + bookmarks + ["dogs,u1,1700000002", "dogs,u2,"])
        return community
    }

    @discardableResult
    func importing(_ kind: ImportKind, _ lines: [String], replaces: Bool = false) throws -> ImportSummary {
        let path = directory.path + "/\(kind.name).csv"
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: path))
        var options = ImportOptions(rejectsPath: directory.path + "/rejects.tsv")
        options.replaces = replaces
        options.allowsShrinking = true
        let catalog = try Catalog(path: catalogPath, mode: .writing, relations: Self.relations)
        return try Importer(into: catalog, kind: kind, options: options).run([path])
    }

    /// The version that a recompute makes current.
    @discardableResult
    func recompute() throws -> LoadedVersion {
        var parameters = RecomputeParameters(relations: Self.relations, threads: 1)
        for relation in Self.relations.relations { parameters[relation].measure = .cosine }
        let job = RecomputeJob(
            catalogPath: catalogPath, store: store, parameters: parameters,
            startedAtMilliseconds: 1_795_000_000_000)
        return try store.load(job.run(observer: NoObserver()).manifest.version)
    }
}

struct NoObserver: RecomputeObserver {
    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {}
    func stepBegan(_ name: String) {}
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {}
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {}
    func warn(_ message: String) {}
}

extension ModelVersion {
    /// The ids of a group's neighbours, best first.
    func neighbourIDs(of id: String, by relation: Relation) -> [String] {
        index(ofID: id).map { neighbours(of: $0, by: relation).map { self.id(of: Int($0.index)) } } ?? []
    }
}
