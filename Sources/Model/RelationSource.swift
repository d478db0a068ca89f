/// A table of pairs in the catalog, such as group × member, and the file that is imported into it.
package struct RelationSource: Sendable, Hashable {
    /// The name of the table and of the kind of file.
    package let table: String
    /// The kind of its rows: the first thing of each pair.
    package let rows: Rows
    /// The kind of its entries: the second thing of each pair.
    package let entries: Entries
    /// The word for an entry, from which its columns get their names: `photo`, `followed`.
    package let entryWord: String
    /// The column with the time of an entry, in the table and in files.
    package let timeColumn: String
    /// Whether the index from entries to rows includes the time, for lookups by entry.
    package let indexesTime: Bool
    /// The column that names the entry that an entry answers, in files, or nil if entries answer nothing.
    ///
    /// The table then has an entry for each time that a pair occurs, and the column tells whether it is an answer.
    package let answerColumn: String?

    /// The kinds of thing that can have entries.
    package enum Rows: String, Sendable {
        /// Groups; only shown ones count.
        case groups
        /// Users; all of them count.
        case users
    }

    /// The kinds of entry that a row can have.
    package enum Entries: String, Sendable, CaseIterable {
        /// Users; all of them count.
        case users
        /// Photos; only public ones count.
        case photos
    }

    /// Creates a table of pairs, usually group × entry.
    ///
    /// - Parameters:
    ///   - table: the table's name: lower-case letters and underscores, different from other tables of the catalog.
    ///   - entryWord: the word for an entry, or `nil` for that of its kind. Users × users need two words.
    ///   - indexesTime: whether the index from entries to rows includes the time.
    ///   - answerColumn: the column that names the entry that is answered; a pair may then occur at several times.
    package init(
        table: String, rows: Rows = .groups, of entries: Entries, entryWord: String? = nil, timeColumn: String,
        indexesTime: Bool = false, answerColumn: String? = nil
    ) {
        self.table = table
        self.rows = rows
        self.entries = entries
        self.entryWord = entryWord ?? String(entries.rawValue.dropLast())
        self.timeColumn = timeColumn
        self.indexesTime = indexesTime
        self.answerColumn = answerColumn
    }

    /// The photos in the pool of each group.
    package static let pools = RelationSource(table: "pools", of: .photos, timeColumn: "added_at")
    /// The members of each group.
    package static let memberships = RelationSource(
        table: "memberships", of: .users, timeColumn: "joined_at", indexesTime: true)
    /// The posts of members in each group, one for each time of a member.
    package static let posts = RelationSource(
        table: "posts", of: .users, timeColumn: "posted_at", answerColumn: "answers")
    /// The photos that each member likes.
    package static let favourites = RelationSource(
        table: "favourites", rows: .users, of: .photos, timeColumn: "added_at")
    /// The members whom each member follows.
    package static let follows = RelationSource(
        table: "follows", rows: .users, of: .users, entryWord: "followed", timeColumn: "since")
}
