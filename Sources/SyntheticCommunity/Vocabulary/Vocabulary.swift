import FoundationEssentials

/// The words that a community is made of, read from `vocabulary.json`, which the build embeds in the program.
///
/// In every list the most popular comes first. Any change to the file changes what a seed generates.
struct Vocabulary: Decodable, Sendable {
    let themes: [Theme]
    /// Titles for groups of any theme, by the name of a `TitleKind`.
    let titles: [String: [Wording]]
    /// Cities, then regions.
    let places: [Place]
    let firstNames: [String]
    let lastNames: [String]

    /// The vocabulary of the program.
    static let embedded: Vocabulary = {
        do {
            return try Vocabulary(json: PackageResources.vocabulary_json)
        } catch {
            // The file is part of the program, and a test reads it.
            fatalError("vocabulary.json is malformed: \(error)")
        }
    }()

    /// Reads a vocabulary, and checks what the rest of the module relies on.
    ///
    /// - Throws: `DecodingError`, with the path of what is wrong.
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
/// `{place}` stands for a place as a sentence says it ("the Dolomites"), `{Place}` for its bare name, `{subject}` for a
/// subject and `{Subject}` for a subject in title case.
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

/// What a title for groups of any theme is about.
enum TitleKind: String, CaseIterable {
    /// A subject alone.
    case plain
    /// A subject with an ornament.
    case adorned
    /// A subject and a technique: only where the theme is not a technique itself.
    case technique
    /// A subject and a place.
    case place
    /// The end of a title and of a description, which sets a group apart from one with the same title.
    case narrowing
    /// A group founded beside another one, whose title is `{Subject}`.
    case duplicate

    /// The titles of the program's vocabulary.
    var wordings: [Wording] { Vocabulary.embedded.titles[rawValue] ?? [] }
}

extension Decoder {
    /// The case of an enumeration with the decoded name.
    func namedCase<Value: CaseIterable>() throws -> Value {
        let name = try String(from: self)
        guard let value = Value.allCases.first(where: { "\($0)" == name }) else {
            let message = "\(Value.self) has no case \(name)"
            throw DecodingError.dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
        }
        return value
    }
}
