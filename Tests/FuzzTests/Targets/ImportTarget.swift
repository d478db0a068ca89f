import CatalogStore
import Basics
import Foundation
import RecordReading
import TestSupport

/// An import of one file: rows, rejected records that can be read again, or an error that changed nothing.
///
/// The first byte says of which kind the file is, and with which options it is imported.
struct ImportTarget: FuzzTarget {
    private let folder: TemporaryDirectory
    private let catalog: Catalog

    init() throws {
        folder = try TemporaryDirectory()
        catalog = try Catalog(path: folder.path + "/catalog", mode: .writing)
    }

    func seeds() throws -> [[UInt8]] {
        let texts = [
            "group_id,title,visibility,topics,join_policy,created_at\ng1,One,public,birds;owls,open,2024-05-01\n",
            "user_id\tname\tinterests\nu1\tAnn\towls;snow\n\\N\t\\N\t\\N\n",
            "{\"photo_id\":\"p1\",\"user_id\":\"u1\",\"tags\":[\"a\",\"b\"],\"latitude\":47.5,\"longitude\":8.5}\n",
            "group_id;user_id;joined_at\ng1;u1;2024-05-01 10:00:00\ng2;u1;1714557600000\n",
            "group_id|photo_id|added_at\n\"g1\"|p1|2024-05-01T10:00:00+02:00\n",
        ]
        let files = texts.enumerated().map { kind, text in [UInt8(kind)] + text.utf8 }
        guard let compressor = GzipCompressor(level: 1) else { return files }
        return files
            + texts.enumerated().compactMap { kind, text in
                compressor.compressed(Array((text + text).utf8)).map { [UInt8(kind) | 8] + $0 }
            }
    }

    func take(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        let kinds: [ImportKind] = [.groups, .users, .photos, .memberships, .pools, .favourites, .follows, .posts]
        let kind = kinds[Int(first & 7) % kinds.count]
        var options = ImportOptions(rejectsPath: folder.path + "/rejected")
        options.maximumRejectedShare = 1
        options.isStrict = first & 8 != 0
        options.replaces = first & 16 != 0
        (options.allowsShrinking, options.allowsRejects) = (true, first & 32 != 0)
        options.dialect.format = [nil, .csv, .tsv, .jsonLines][Int(first >> 6)]
        let path = folder.path + "/file"
        try Data(bytes.dropFirst()).write(to: URL(fileURLWithPath: path))
        let before = try catalog.facts.changeCount()
        let summary: ImportSummary
        do throws(Failure) {
            summary = try Importer(into: catalog, kind: kind, options: options).run([path])
        } catch {
            try require(error.code == .badData, "an import fails for another reason than its data: \(error)")
            try require(try catalog.facts.changeCount() == before, "a refused import has changed the catalog: \(error)")
            return
        }
        try checkRejects(of: summary, options)
    }

    /// What was rejected is rejected again.
    private func checkRejects(of summary: ImportSummary, _ options: ImportOptions) throws {
        try require((summary.rejected == 0) == (summary.reasonsPath == nil), "no reasons for rejected records")
        try require(summary.unchanged >= 0, "more rows were written than read")
        guard !summary.rejectsPaths.isEmpty else { return }
        var options = options
        (options.isDryRun, options.replaces, options.dialect.format) = (true, false, nil)
        let again: ImportSummary
        do throws(Failure) {
            again = try Importer(into: catalog, kind: summary.kind, options: options).run(summary.rejectsPaths)
        } catch {
            return try require(error.code == .badData, "rejected records cannot be read again: \(error)")
        }
        try require(again.rejected > 0, "rejected records are no longer rejected")
    }
}
