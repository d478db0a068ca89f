import Basics
import Model
import RecordReading

/// The columns of a kind of file, whether it is imported row by row or as vectors.
private struct FileShape {
    let name: String
    let columns: Set<String>
    let required: Set<String>

    static func all(of relations: RelationTable) -> [FileShape] {
        let vectors = Set(VectorImporter.columnNames)
        return ImportKind.all(of: relations).map { kind in
            FileShape(
                name: kind.name, columns: Set(kind.columnNames),
                required: Set(kind.columns.filter(\.isRequired).map(\.name)))
        } + [FileShape(name: VectorImporter.kindName, columns: vectors, required: vectors)]
    }
}

/// The guard of every reader of rows: it refuses a file that looks like one of another kind.
struct KindGuard {
    /// The kind that was named.
    let kind: ImportKind
    let relations: RelationTable
    /// The names of columns in the files that do not matter.
    var ignoredColumns: Set<String> = []
    /// Whether the rows only name what is to be removed.
    ///
    /// The columns of their ids are then all that matters, and columns beside them may tell another kind.
    var removes = false

    /// Returns the columns of a file that the kind does not have, without those that do not matter.
    func unknownColumns(_ reader: borrowing RecordReader) -> [String] {
        guard !ignoredColumns.isEmpty else { return reader.unknownColumns }
        let ignored = Set(ignoredColumns.map(RecordColumn.comparable))
        return reader.unknownColumns.filter { !ignored.contains(RecordColumn.comparable($0)) }
    }

    /// Refuses a file that looks like one of another kind.
    ///
    /// Such a file has all columns that the other kind needs. The other kind knows each of its columns that matter, and
    /// more, and no fewer columns than this kind. A file of photos with their owners is imported, although favourites
    /// know its columns as well. It removes nothing until somebody says which of both it is.
    func check(_ reader: borrowing RecordReader) throws(Failure) {
        let columns = kind.columns
        let ignored = Set(ignoredColumns.map(RecordColumn.comparable))
        let own = Set(columns.indices.filter { !reader.isMissing($0) }.map { columns[$0].name }).subtracting(ignored)
        let known = removes ? own.intersection(columns.prefix(kind.idCount).map(\.name)) : own
        let others =
            unknownColumns(reader).map(RecordColumn.comparable) + (removes ? own.subtracting(known).sorted() : [])
        guard !others.isEmpty else { return }
        let present = own.union(others)
        let likely = FileShape.all(of: relations).filter { other in
            let common = other.columns.intersection(present)
            return other.name != kind.name && other.required.isSubset(of: common) && known.isStrictSubset(of: common)
                && common.count >= own.count
        }
        // Of two kinds that know the same columns, the one with fewer others.
        func rank(_ shape: FileShape) -> (Int, Int) {
            (shape.columns.intersection(present).count, -shape.columns.count)
        }
        guard let best = likely.max(by: { rank($0) < rank($1) }) else { return }
        let telling = others.filter(best.columns.contains)
        let named = "--ignore \(telling.joined(separator: ",")) if these are \(kind.name)"
        let command = removes ? "delete \(best.name.dropLast())" : "import \(best.name)"
        // No command removes vectors alone.
        let advice = removes && best.name == VectorImporter.kindName ? named : "say \"\(command)\", or \(named)"
        throw Failure(
            .badData,
            """
            \(reader.source): this looks like \(best.name), not \(kind.name): the column\(telling.count == 1 ? "" : "s") \
            \(telling.joined(separator: ", ")) would be passed over; \(advice); nothing was changed
            """)
    }
}
