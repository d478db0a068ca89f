import Model
import RecordReading

/// The columns of a kind of file, whether it is imported row by row or as vectors.
private struct FileShape {
    let name: String
    let columns: Set<String>
    let required: Set<String>

    /// Returns the shapes of all kinds.
    static func all(of relations: RelationTable) -> [FileShape] {
        let vectors = Set(VectorImporter.columnNames)
        return ImportKind.all(of: relations).map { kind in
            FileShape(
                name: kind.name, columns: Set(kind.columnNames),
                required: Set(kind.columns.filter(\.isRequired).map(\.name)))
        } + [FileShape(name: VectorImporter.kindName, columns: vectors, required: vectors)]
    }
}

extension Importer {
    /// Refuses a file that looks like one of another kind.
    ///
    /// Such a file has all columns that the other kind needs. The other kind knows each of its columns that this kind
    /// knows, and more. A file of photos with their owners is no file of favourites: both kinds know its columns.
    func checkKind(_ reader: borrowing RecordReader) throws(CatalogError) {
        let passedOver = unknownColumns(reader)
        guard !passedOver.isEmpty else { return }
        let known = Set(columns.indices.filter { !reader.isMissing($0) }.map { columns[$0].name })
        let present = known.union(passedOver.map(RecordColumn.comparable))
        let likely = FileShape.all(of: catalog.relations).filter { other in
            let common = other.columns.intersection(present)
            return other.name != kind.name && other.required.isSubset(of: common) && known.isStrictSubset(of: common)
        }
        // Of two kinds that know the same columns, the one with fewer others.
        func rank(_ shape: FileShape) -> (Int, Int) {
            (shape.columns.intersection(present).count, -shape.columns.count)
        }
        guard let best = likely.max(by: { rank($0) < rank($1) }) else { return }
        isOfOtherKind = true
        let telling = passedOver.map(RecordColumn.comparable).filter(best.columns.contains)
        throw CatalogError(
            .badData,
            """
            \(reader.source): this looks like \(best.name), not \(kind.name): the column\(telling.count == 1 ? "" : "s") \
            \(telling.joined(separator: ", ")) would be passed over; say "import \(best.name)", or \
            --ignore \(telling.joined(separator: ",")) if these are \(kind.name); nothing was changed
            """)
    }
}
