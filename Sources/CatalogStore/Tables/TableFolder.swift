import FoundationEssentials
import Model

/// A folder of tables: numbered users, photos and entries, written by a program that cleaned and sorted them.
struct TableFolder: Sendable {
    let path: String
    let manifest: TableManifest
    private let parts: [String: [TablePart]]

    /// The columns that must be there; other tables are of relations.
    private static let requiredColumns = ["groups": ["id"], "users": ["id"], "photos": []]

    /// Opens and checks all parts.
    ///
    /// - Throws: `CatalogError.Code.missing` if there is no manifest, `.badData` if a part is not as it says.
    init(_ path: String) throws(CatalogError) {
        self.path = path
        manifest = try Self.manifest(in: path)
        var parts: [String: [TablePart]] = [:]
        for (table, reports) in manifest.tables {
            var firstRow = 0
            for report in reports {
                let part = try TablePart(report, in: path, firstRow: firstRow)
                try part.require(Self.requiredColumns[table] ?? ["group", "entry"])
                parts[table, default: []].append(part)
                firstRow += part.rowCount
            }
            guard firstRow < Int(UInt32.max) || manifest.leftOut[table] != nil else {
                throw CatalogError(.badData, "\(path) numbers more than \(UInt32.max) \(table)")
            }
        }
        self.parts = parts
    }

    private static func manifest(in folder: String) throws(CatalogError) -> TableManifest {
        let path = folder + "/" + TableManifest.fileName
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
            throw CatalogError(
                .missing, "there are no tables in \(folder): it has no manifest.json, which is written last")
        }
        guard let manifest = try? JSONDecoder().decode(TableManifest.self, from: data) else {
            throw CatalogError(.badData, "\(path) is not the manifest of a folder of tables")
        }
        guard manifest.format == TableManifest.knownFormat else {
            throw CatalogError(
                .badData,
                "\(path) has format \(manifest.format); this program reads format \(TableManifest.knownFormat)")
        }
        return manifest
    }

    /// The parts of a table, in order; none if the folder does not have it.
    subscript(table: String) -> [TablePart] { parts[table] ?? [] }

    /// The number of the row whose text is given in a column that ascends by bytes; nil if there is none.
    func row(of text: String, in column: String, of table: String) -> UInt32? {
        let wanted = text.utf8Span.span
        for part in self[table] where part.rowCount > 0 {
            guard part.compare(column, row: part.rowCount - 1, with: wanted) >= 0 else { continue }
            var (low, high) = (0, part.rowCount)
            while low < high {
                let middle = (low + high) / 2
                if part.compare(column, row: middle, with: wanted) < 0 { low = middle + 1 } else { high = middle }
            }
            return part.compare(column, row: low, with: wanted) == 0 ? UInt32(part.firstRow + low) : nil
        }
        return nil
    }
}
