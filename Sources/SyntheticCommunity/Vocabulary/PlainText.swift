/// Turns titles into identifiers and tags, and fills in placeholders.
enum PlainText {
    /// Letters and digits of a text in ASCII lower case, words joined by hyphens: "Kraków on Film" is `krakow-on-film`.
    static func slug(_ text: String) -> String {
        var slug = ""
        var separates = false
        for character in text {
            if let plain = plain(character) {
                if separates, !slug.isEmpty { slug += "-" }
                slug += plain
                separates = false
            } else if character != "'" {
                separates = true
            }
        }
        return slug
    }

    /// Like a slug, in one word.
    static func tag(_ text: String) -> String { slug(text).filter { $0 != "-" } }

    /// Capitalizes all words but small ones that are not first; capitals in the phrase stay.
    static func titleCase(_ phrase: String) -> String {
        let small: Set = ["a", "and", "at", "by", "from", "in", "of", "on", "the", "to", "under", "with", "without"]
        let cased = phrase.split(separator: " ").enumerated().map { index, word in
            index > 0 && small.contains(String(word)) ? String(word) : capitalized(String(word))
        }
        return cased.joined(separator: " ")
    }

    /// The text with its first letter as a capital.
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// Replaces placeholders such as `{place}`; those without a replacement stay.
    static func filling(_ template: String, _ replacements: [String: String]) -> String {
        var filled = ""
        var rest = Substring(template)
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            let placeholder = String(rest[open...close])
            filled += rest[..<open] + (replacements[placeholder] ?? placeholder)
            rest = rest[rest.index(after: close)...]
        }
        return filled + rest
    }

    private static func plain(_ character: Character) -> String? {
        if character.isASCII { return character.isLetter || character.isNumber ? character.lowercased() : nil }
        switch character.lowercased() {
        case "á", "à", "ã", "â", "ä", "å": return "a"
        case "é", "è", "ê", "ë": return "e"
        case "í", "î": return "i"
        case "ó", "ô", "õ", "ö", "ø": return "o"
        case "ú", "ü": return "u"
        case "ç": return "c"
        default: return nil
        }
    }
}
