/// A file of another program: the number of its format is not the one that this program reads and writes.
///
/// Each format has one number. Before 1.0 a release may begin a format anew, with a greater number; it then refuses
/// older files with the sentence that is made here.
package struct OtherFormat {
    /// The files that have such a number.
    package enum Kind: String {
        case catalog
        case journal
        case version = "model version"
        case tables = "folder of tables"
        case tape
        case backup
    }

    private let kind: Kind
    private let name: String
    private let found, own: Int

    /// Returns nil if the numbers are equal.
    ///
    /// - Parameters:
    ///   - name: the path or the name of the file.
    ///   - found: the number in the file.
    ///   - own: the number of this program.
    package init?(_ kind: Kind, at name: String, found: some BinaryInteger, own: some BinaryInteger) {
        guard found != own else { return nil }
        (self.kind, self.name, self.found, self.own) = (kind, name, Int(found), Int(own))
    }

    /// The file, the program that wrote it, and the way to bring it over.
    package var message: String {
        let isNewer = found > own
        return """
            \(name) is a \(kind.rawValue) of \(isNewer ? "a newer" : "an older") program (format \(found); this \
            program has \(own)): \(isNewer ? newerAdvice : olderAdvice)
            """
    }

    private var newerAdvice: String {
        switch kind {
        case .version: "upgrade this one, or roll back to an older version"
        case .backup: "restore it with that program"
        default: "upgrade this one"
        }
    }

    private var olderAdvice: String {
        switch kind {
        case .catalog, .journal:
            """
            back the site up with that program, and run "coterie restore BACKUP --replace" with this one, which \
            restores backups of \(Self.restoredProgram)
            """
        case .version: "recompute"
        case .tables: "write the tables again with the jobs of this release"
        case .tape: "it can be replayed with that program only; record another with this one"
        case .backup:
            """
            this one restores its own backups and those of \(Self.restoredProgram): restore it with the program that \
            made it, upgrade to that program, and take another backup
            """
        }
    }

    /// The one earlier program whose backups this program restores.
    package static let restoredProgram = "the program of 2026-11-27"
}
