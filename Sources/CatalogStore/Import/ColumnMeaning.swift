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
