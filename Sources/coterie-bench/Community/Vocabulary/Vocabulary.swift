import FoundationEssentials

/// The words of a community, read from `vocabulary.json`, which the build embeds in the program.
///
/// In every list the most popular comes first. Any change to the file changes the output of every seed.
struct Vocabulary: Decodable, Sendable {
    let themes: [Theme]
    /// The titles for groups of any theme, by the name of a `TitleKind`.
    let titles: [String: [Wording]]
    /// The cities, then the regions.
    let places: [Place]
    let firstNames: [String]
    let lastNames: [String]

    static let embedded: Vocabulary = {
        do {
            return try Vocabulary(json: PackageResources.vocabulary_json)
        } catch {
            // The file is part of the program, and a test reads it.
            fatalError("vocabulary.json is malformed: \(error)")
        }
    }()

    /// Reads a vocabulary, and checks the assumptions of the rest of the module.
    ///
    /// - Throws: `DecodingError`, with the path to the mistake.
    init(json: [UInt8]) throws {
        self = try JSONDecoder().decode(Vocabulary.self, from: Data(json))
        func check(_ holds: Bool, _ message: String) throws {
            guard holds else { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: message)) }
        }
        try check(themes.first?.name == "anything goes", "the first theme must be \"anything goes\"")
        try check(themes.count < 256 && Set(themes.map(\.name)).count == themes.count, "two themes have the same name")
        for theme in themes {
            let isComplete = theme.groups.count >= 3 && theme.subjects.count >= 4 && theme.tags.list.count >= 3
            try check(isComplete, "the theme \(theme.name) needs at least 3 groups, 4 subjects and 3 tags")
            let agree = theme.placeKinds.isEmpty == theme.placeGroups.isEmpty
            try check(agree, "the theme \(theme.name) needs kinds of places and groups about places, or neither")
        }
        for kind in TitleKind.allCases {
            try check(titles[kind.rawValue]?.isEmpty == false, "there is no title of the kind \(kind)")
        }
        let cities = places.prefix { $0.kind == .city }.count
        try check(cities > 0 && cities == places.count { $0.kind == .city }, "the first places must be all cities")
        try check(places.count { $0.kind == .region } >= 3, "there must be at least 3 regions")
        try check(places.contains { $0.kind == .northern }, "there must be a place in the far north")
        try check(!firstNames.isEmpty && !lastNames.isEmpty, "there must be first names and last names")
    }
}

/// A group's title and description; a list of the two in JSON.
///
/// Placeholders are `{place}` for a place as a sentence says it ("the Dolomites") and `{Place}` for its bare name.
/// `{subject}` stands for a subject, `{Subject}` for a subject in title case.
struct Wording: Decodable, Sendable {
    let title: String
    let description: String

    init(from decoder: any Decoder) throws {
        var pair = try decoder.unkeyedContainer()
        title = try pair.decode(String.self)
        description = try pair.decode(String.self)
    }
}

/// Words separated by blanks.
struct Words: Decodable, Sendable {
    let list: [String]

    init(from decoder: any Decoder) throws {
        list = try String(from: decoder).split(separator: " ").map(String.init)
    }
}

/// The kind of a title for groups of any theme.
enum TitleKind: String, CaseIterable {
    /// A subject alone.
    case plain
    /// A subject with an ornament.
    case adorned
    /// A subject and a technique: only where the theme is not a technique itself.
    case technique
    case place
    /// The end of a title and of a description; it sets a group apart from one with the same title.
    case narrowing
    /// A group founded beside another one, whose title is `{Subject}`.
    case duplicate

    /// The titles of the program's vocabulary.
    var wordings: [Wording] { Vocabulary.embedded.titles[rawValue] ?? [] }
}

extension Decoder {
    func namedCase<Value: CaseIterable>() throws -> Value {
        let name = try String(from: self)
        guard let value = Value.allCases.first(where: { "\($0)" == name }) else {
            let message = "\(Value.self) has no case \(name)"
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
        }
        return value
    }
}

/// A theme of groups and of members' interests, with its words.
struct Theme: Decodable, Sendable {
    /// A narrower subject; a list of its name and its tags in JSON.
    struct Subject: Decodable, Sendable {
        /// A plural, as in the middle of a sentence.
        let name: String
        /// The tags of the subject's photos, the most typical first.
        let tags: Words

        init(from decoder: any Decoder) throws {
            var pair = try decoder.unkeyedContainer()
            name = try pair.decode(String.self)
            tags = try pair.decode(Words.self)
        }
    }

    /// The interest, as users and groups name it.
    let name: String
    let season: Season
    let hours: HourPattern
    /// The kinds of places that the theme's groups may be about; empty if they are about none.
    let placeKinds: [Place.Kind]
    /// The feature that these places must have, or `nil` for no condition.
    let placeFeature: Place.Feature?
    /// Whether groups about a subject may add a technique; false if the theme is a technique itself.
    let takesTechniques: Bool
    /// Whether the theme's subjects are found in all of its places: there are no dunes in Tuscany.
    let hasSubjectsEverywhere: Bool
    /// Further topics of the theme's groups.
    let topics: Words
    /// Tags that any photo of the theme may have.
    let tags: Words
    /// Well-known groups, most popular first.
    let groups: [Wording]
    /// Groups about the theme in a place.
    let placeGroups: [Wording]
    let subjects: [Subject]

    /// The themes of the program's vocabulary, most popular first.
    ///
    /// The first theme takes any photo, and nobody calls it an interest.
    static let all = Vocabulary.embedded.themes

    /// The index in `all` of the theme of groups that take any photo.
    static let anythingIndex = 0
}

/// A city or a region where members live and photos are taken.
struct Place: Decodable, Sendable {
    enum Kind: String, Decodable {
        case city, region
        /// A region where the aurora is seen.
        case northern
    }

    /// A feature that a place must have for some themes.
    enum Feature: String, Decodable {
        /// A sea or a large lake.
        case coast
        /// Winters with frost and trees that change with the year.
        case seasons
    }

    /// The name without an article: "Lisbon", "Dolomites".
    let name: String
    /// The name as a sentence says it: "Lisbon", "the Dolomites".
    let phrase: String
    /// The name as a tag: lower case, without accents and blanks.
    let tag: String
    let kind: Kind
    /// Whether the place has no coast.
    let isInland: Bool
    /// The latitude in units of 0.00001 degree, north positive.
    let latitude: Int
    /// The longitude in units of 0.00001 degree, east positive.
    let longitude: Int

    private enum Key: CodingKey { case name, article, kind, isInland, latitude, longitude }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        name = try values.decode(String.self, forKey: .name)
        let article = try values.decodeIfPresent(String.self, forKey: .article)
        phrase = (article.map { $0 + " " } ?? "") + name
        tag = PlainText.tag(name)
        kind = try values.decode(Kind.self, forKey: .kind)
        isInland = try values.decodeIfPresent(Bool.self, forKey: .isInland) ?? false
        latitude = Int((try values.decode(Double.self, forKey: .latitude) * 100_000).rounded())
        longitude = Int((try values.decode(Double.self, forKey: .longitude) * 100_000).rounded())
    }

    var isSouthern: Bool { latitude < 0 }

    /// The greatest distance of photos from the middle of the place, in units of 0.00001 degree.
    var radius: Int { kind == .city ? 9_000 : 55_000 }

    func has(_ feature: Feature) -> Bool {
        switch feature {
        case .coast: !isInland
        case .seasons: abs(latitude) > 2_900_000
        }
    }

    /// The places of the program's vocabulary, cities first.
    static let all = Vocabulary.embedded.places

    /// The cities, as indices of `all`.
    static let cities = all.indices.prefix { all[$0].kind == .city }

    /// The places of the far north, as indices of `all`.
    static let northern = all.indices.filter { all[$0].kind == .northern }

    /// The three regions nearest to each city, as indices of `all`.
    static let regionsNearCities = cities.map { city in
        let regions = all.indices.dropFirst(cities.count)
        return Array(regions.sorted { all[city].distance(to: all[$0]) < all[city].distance(to: all[$1]) }.prefix(3))
    }

    /// Returns a distance that is good enough for comparisons: squared, on a flat map.
    private func distance(to other: Place) -> Int {
        let north = latitude - other.latitude
        let east = longitude - other.longitude
        return north * north + east * east / 2
    }
}

/// Turns titles into identifiers and tags, and fills in placeholders.
enum PlainText {
    /// Returns the letters and digits of a text in ASCII lower case, words joined by hyphens.
    ///
    /// "Kraków on Film" becomes `krakow-on-film`.
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

    /// Returns the slug of a text as one word, without hyphens.
    static func tag(_ text: String) -> String { slug(text).filter { $0 != "-" } }

    /// Capitalizes all words but small ones that are not first; capitals in the phrase stay.
    static func titleCase(_ phrase: String) -> String {
        let small: Set = ["a", "and", "at", "by", "from", "in", "of", "on", "the", "to", "under", "with", "without"]
        let cased = phrase.split(separator: " ").enumerated().map { index, word in
            index > 0 && small.contains(String(word)) ? String(word) : capitalized(String(word))
        }
        return cased.joined(separator: " ")
    }

    /// Returns the text with its first letter as a capital.
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
