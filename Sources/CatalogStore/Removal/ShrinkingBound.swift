package import Basics
import SQLite

/// The largest share of a kind's rows that a file may remove without `--allow-shrinking`.
package struct ShrinkingBound {
    /// The share as a fraction of one, inclusive.
    private let divisor: Int
    private let words: String
    /// The smallest number of rows, inclusive, from which on the share counts.
    private let minimumRows: Int

    /// The bound of `coterie import --replace`.
    static let replacing = ShrinkingBound(divisor: 2, words: "half", minimumRows: 0)
    /// The bound of a file that names what is to be removed.
    static let naming = ShrinkingBound(divisor: 10, words: "a tenth", minimumRows: 20)

    /// Refuses to merge more groups or users into others than the file of a removal may remove.
    package static func check(merging count: Int, in table: EntityTable, of catalog: Facts) throws(Failure) {
        let total = Int(try catalog.database.integer("SELECT count(*) FROM \(table.rawValue)") ?? 0)
        try Self.naming.check(count, of: total, table.rawValue, "merging")
    }

    /// Refuses to remove too many rows.
    ///
    /// - Throws: `Failure` with the code `badData`.
    func check(_ removed: Int, of total: Int, _ kind: String, _ action: String) throws(Failure) {
        guard removed * divisor > total, total >= minimumRows else { return }
        throw Failure(
            .badData,
            """
            \(action) would remove \(removed) of \(total) \(kind), more than \(words): nothing was changed. If the files \
            are \(divisor == 2 ? "complete" : "right"), add --allow-shrinking
            """)
    }
}

/// Refuses files that have no row at all: the export failed, or there was nothing to say.
///
/// A replacing import that may remove everything takes them.
func refuseEmpty(
    _ summary: ImportSummary, _ rejects: RejectedRecords, _ options: ImportOptions, _ inputs: [InputFile]
) throws(Failure) {
    guard summary.rows + rejects.count == 0, !(options.replaces && options.allowsShrinking) else { return }
    throw .noRows(inputs.map(\.name))
}

extension Failure {
    /// Returns the error about files with a header and no row.
    static func noRows(_ names: [String]) -> Failure {
        let others = names.count > 1 ? ", nor in \(names.count - 1) more files" : ""
        return Failure(
            .badData,
            """
            \(names.first ?? ""), line 1: there is no row, or none behind the header\(others): nothing was \
            changed. See whether the program that writes it failed
            """)
    }
}
