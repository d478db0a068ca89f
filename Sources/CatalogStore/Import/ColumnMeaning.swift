import Basics
import RecordReading

/// The meaning that the name of an unknown column suggests.
enum ColumnMeaning {
    /// The column says which rows are private.
    case privacy
    /// The column says which rows are deleted, or no longer shown.
    case deletion
    /// The column may say so among other things.
    case state

    private static let words: [(meaning: ColumnMeaning, words: Set<String>)] = [
        (
            .privacy,
            [
                "closed", "membersonly", "inviteonly", "restricted", "protected", "hide", "listed", "discoverable",
                "searchable", "accesslevel", "acl", "permissions", "audience",
                "private", "privacy", "public", "visible", "visibility", "hidden", "secret", "unlisted", "confidential",
                "privat", "privatsphäre", "öffentlich", "oeffentlich", "sichtbar", "sichtbarkeit", "geheim",
                "versteckt", "privé", "prive", "publique", "visibilité", "visibilite", "caché", "privado", "privada",
                "privacidad", "público", "publico", "visibilidad", "oculto", "privato", "pubblico", "visibilità",
                "visibilita", "nascosto", "privacidade", "visibilidade",
            ]
        ),
        (
            .deletion,
            [
                "deleted", "removed", "archived", "trashed", "tombstone", "banned", "suspended", "deactivated",
                "gelöscht", "geloescht", "archiviert", "gesperrt", "supprimé", "supprime", "eliminado", "borrado",
                "archivado", "eliminato", "excluido", "excluído",
            ]
        ),
        (
            .state,
            [
                "status", "state", "active", "enabled", "disabled", "approved", "published", "draft", "blocked", "left",
                "ended", "expired", "cancelled", "canceled", "open", "scope", "spam",
            ]
        ),
    ]

    /// Guesses the meaning of a column; nil if its name suggests none.
    init?(_ name: String) {
        let found = Self.parts(of: name)
        guard let meaning = Self.words.first(where: { !$0.words.isDisjoint(with: found) })?.meaning else { return nil }
        self = meaning
    }

    /// Returns the words of a name such as `is_private`, `isPrivate` and `isprivate`, in lower case.
    private static func parts(of name: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var wasLower = false
        for character in name {
            if !character.isLetter || (wasLower && character.isUppercase) {
                parts.append(part)
                part = ""
            }
            wasLower = character.isLowercase
            if character.isLetter { part += character.lowercased() }
        }
        parts.append(part)
        let whole = parts.joined()
        return parts + [whole] + (whole.hasPrefix("is") ? [String(whole.dropFirst(2))] : [])
    }
}

extension Importer {
    /// The columns of a file that the kind does not have, without those that the caller said do not matter.
    func unknownColumns(_ reader: borrowing RecordReader) -> [String] { kindGuard.unknownColumns(reader) }

    private var kindGuard: KindGuard {
        KindGuard(kind: kind, relations: catalog.relations, ignoredColumns: options.ignoredColumns)
    }

    /// Refuses a file whose unknown columns tell that it must not be imported like this.
    func checkUnknownColumns(_ reader: borrowing RecordReader) throws(Failure) {
        do throws(Failure) { try kindGuard.check(reader) } catch {
            noteOtherKind()
            throw error
        }
        try checkMeanings(reader)
    }

    /// Refuses a file with an unknown column that seems to say which groups or photos must not be shown.
    ///
    /// If the file has the column `visibility`, other columns of that meaning are only reported.
    private func checkMeanings(_ reader: borrowing RecordReader) throws(Failure) {
        guard let visibility = columns.firstIndex(where: { $0.name == "visibility" }) else { return }
        let isMissing = reader.isMissing(visibility)
        for name in unknownColumns(reader) {
            // In JSON Lines, a misspelt key may be in one record, and the right one in all others.
            let isNear = (isMissing || reader.dialect.format == .jsonLines) && reader.isNear(name, visibility)
            let advice: String
            switch isNear ? .privacy : ColumnMeaning(name) {
            case .privacy where isMissing || isNear:
                advice = """
                    say what is private: name it with --columns visibility=\(shown(name)), and its words for public \
                    with --public
                    """
            case .deletion:
                advice = """
                    say what is deleted: leave such \(kind.name) out, or say with --columns \
                    visibility=\(shown(name)) --public '' that only \(kind.name) without a value there are public
                    """
            default: continue
            }
            throw Failure(
                .badData,
                """
                \(reader.source): the column \(shown(name)) would be passed over, but seems to \(advice); if it does \
                not matter, say --ignore \(shown(name)); nothing was changed
                """)
        }
    }
}
