/// What groups are about and members are interested in, with its words.
struct Theme: Decodable, Sendable {
    /// A narrower subject; a list of its name and its tags in JSON.
    struct Subject: Decodable, Sendable {
        /// A plural, as in the middle of a sentence.
        let name: String
        /// Tags of its photos, the most typical first.
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
    /// The kinds of places that its groups may be about; empty if they are about none.
    let placeKinds: [Place.Kind]
    /// What these places must have; nil for no condition.
    let placeFeature: Place.Feature?
    /// Whether groups about a subject may add a technique; false if the theme is a technique itself.
    let takesTechniques: Bool
    /// Whether its subjects are found in all of its places: there are no dunes in Tuscany.
    let hasSubjectsEverywhere: Bool
    /// Further topics of its groups.
    let topics: Words
    /// Tags that any of its photos may have.
    let tags: Words
    /// Well-known groups, most popular first.
    let groups: [Wording]
    /// Groups about the theme in a place.
    let placeGroups: [Wording]
    let subjects: [Subject]

    /// The themes of the program's vocabulary, most popular first.
    ///
    /// The first one takes any photo, and nobody calls it an interest.
    static let all = Vocabulary.embedded.themes

    /// The theme of groups that take any photo, as an index of `all`.
    static let anythingIndex = 0
}
