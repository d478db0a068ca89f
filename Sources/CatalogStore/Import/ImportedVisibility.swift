import RecordReading

/// The visibility that the rows of one import give to groups or photos.
///
/// If some rows of an import make a group private and others make it public, it is private. A file may
/// repeat a group to tell its versions in their order, or because a join repeated it. Nobody can tell these apart.
struct ImportedVisibility {
    /// The words that mean public, in lower case; empty for the catalog's words.
    ///
    /// All other words then mean private.
    private let publicWords: [String]
    /// The ids that a row of this import made private.
    private var privateIDs = IdentifierCache()
    /// The visibility of the row that was read last, or nil if it gave none.
    private var latest: Visibility?
    private var isLatestOverruled = false

    init(publicWords: [String]) { self.publicWords = publicWords.map { withoutInvisible($0).lowercased() } }

    /// Whether a field without a value gives a visibility in a column.
    func isGivenByNull(_ column: ImportKind.Column) -> Bool {
        if case .visibility = column.type { !publicWords.isEmpty } else { false }
    }

    /// Returns the visibility that a word stands for, or nil if the word is not known.
    func word(_ word: String) -> Visibility? {
        let word = withoutInvisible(word).lowercased()
        guard publicWords.isEmpty else { return publicWords.contains(word) ? .public : .private }
        let code = Visibility.words.first { $0.word == word }?.code
        return code.map { $0 == Visibility.public.code ? .public : .private }
    }

    /// Returns the number that the catalog stores for the visibility of the current record.
    mutating func code(_ column: ImportKind.Column, _ index: Int, in reader: borrowing RecordReader)
        throws(RecordProblem) -> Int64
    {
        let isPublic =
            if publicWords.isEmpty {
                try column.code(index, in: reader, of: Visibility.words) == Visibility.public.code
            } else {
                word(reader.isNull(index) ? "" : reader.text(index)) == .public
            }
        latest = isPublic ? .public : .private
        isLatestOverruled = isPublic && privateIDs.count > 0 && reader.withField(0) { privateIDs.contains($0) }
        return isLatestOverruled ? Visibility.private.code : isPublic ? Visibility.public.code : Visibility.private.code
    }

    /// Forgets the record before, which may have been rejected.
    mutating func begin() { (latest, isLatestOverruled) = (nil, false) }

    /// Notes the visibility of the current record, once it is written.
    mutating func noteWritten(_ reader: borrowing RecordReader, of table: EntityTable, in findings: ImportFindings) {
        if latest == .private { _ = reader.withField(0) { privateIDs.slot(of: $0) } }
        if isLatestOverruled { findings.note(.overruledVisibilities, of: table.singular, first: reader.text(0)) }
    }
}
