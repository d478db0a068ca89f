/// Small rewritings of titles, tags and identifiers.
enum PlainText {
    /// The words between spaces.
    static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }

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

    /// As a slug, in one word.
    static func tag(_ text: String) -> String { slug(text).filter { $0 != "-" } }

    /// Capitals at all words but the small ones; the first and capitals that are there stay.
    static func titleCase(_ phrase: String) -> String {
        let small: Set = ["a", "and", "at", "by", "from", "in", "of", "on", "the", "to", "under", "with", "without"]
        let cased = words(phrase).enumerated().map { index, word in
            index > 0 && small.contains(word) ? word : capitalized(word)
        }
        return cased.joined(separator: " ")
    }

    /// The first letter as a capital.
    static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    /// A text in which placeholders are replaced; those without a replacement stay.
    static func filling(_ template: String, _ replacements: [(placeholder: String, text: String)]) -> String {
        var filled = ""
        var rest = Substring(template)
        while let open = rest.utf8.firstIndex(of: UInt8(ascii: "{")),
            let close = rest.utf8[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            let placeholder = rest[open...close]
            filled += rest[..<open]
            filled += replacements.first { $0.placeholder == placeholder }?.text ?? String(placeholder)
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
