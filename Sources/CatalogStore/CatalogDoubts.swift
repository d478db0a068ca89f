package import Basics
import SQLite

/// Values of one kind in a catalog that are probably mistakes.
package struct CatalogDoubt: Sendable, Equatable {
    /// The rows that have such a value, in words.
    package var rows: String
    package var count: Int
    /// The id of one of the rows.
    package var example: String
    package var advice: String
    /// The command that helps, without its last argument, the id; nil if there is none.
    package var command: String?
}

extension CatalogDoubt {
    /// Returns what is doubtful in a catalog, which is counted in passes over its tables.
    package static func all(in catalog: Facts) throws(Failure) -> [CatalogDoubt] {
        var found: [CatalogDoubt] = []
        let columns: KeyValuePairs<EntityTable, [String]> = [
            .groups: ["title", "description", "topics"], .users: ["name", "interests"], .photos: ["tags"],
        ]
        for (table, columns) in columns {
            let texts = ([table.idColumn] + columns).flatMap { column in broken.map { "\(column) GLOB '\($0)'" } }
            let questions: [(rows: String, condition: String, advice: String, command: String?)] = [
                (
                    "an id that looks like no value", "lower(trim(\(table.idColumn), '\(blanks)')) IN (\(noValues))",
                    "if it is none, mend the program that writes it, and remove it:", "coterie delete \(table.singular)"
                ),
                (
                    "a broken text", texts.joined(separator: " OR "),
                    "its encoding was mistaken: import the \(table.rawValue) again from a file in UTF-8", nil
                ),
            ]
            for question in questions {
                let row = try catalog.database.prepare(
                    "SELECT count(*), min(\(table.idColumn)) FROM \(table.rawValue) WHERE \(question.condition)")
                defer { row.reset() }
                guard try row.step(), row.integer(0) > 0 else { continue }
                found.append(
                    .init(
                        rows: "\(table.rawValue) with \(question.rows)", count: Int(row.integer(0)),
                        example: row.text(1), advice: question.advice, command: question.command))
            }
        }
        // A copy of a catalog may be without its file of vectors.
        if let equal = try? equalVectors(catalog) { found.append(equal) }
        return found
    }

    private static let blanks = "\t\n\r \u{A0}\u{200B}\u{FEFF}"

    private static var noValues: String { NullWord.noIDs.map { "'\($0)'" }.joined(separator: ", ") }

    /// Patterns of texts with bytes that were not UTF-8, or with UTF-8 that was read as Latin-1.
    ///
    /// A guillemet may follow a capital letter.
    private static let broken = ["*\u{FFFD}*", "*[ÃÂ][\u{80}-\u{BA}\u{BC}-\u{BF}]*", "*â[€\u{80}]*"]

    /// Counts photos with the vector of another photo, by the checksums of vectors.
    private static func equalVectors(_ catalog: Facts) throws(Failure) -> CatalogDoubt? {
        try catalog.vectors.reading { file throws(Failure) in
            let rows = try catalog.database.prepare(
                "SELECT slot, photo_id FROM photo_vectors JOIN photos USING (photo_key)")
            let sums = try rows.map { file.checksum(in: $0.integer(0)) }.sorted()
            let repeated = Set(zip(sums, sums.dropFirst()).lazy.filter { $0 == $1 }.map(\.0))
            while try rows.step() {
                guard repeated.contains(file.checksum(in: rows.integer(0))) else { continue }
                return .init(
                    rows: "photos with the vector of another photo", count: sums.count(where: repeated.contains),
                    example: rows.text(1), advice: "unless they are copies, compute their vectors again")
            }
            return nil
        }
    }
}
