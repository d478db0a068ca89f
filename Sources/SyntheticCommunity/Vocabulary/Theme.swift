/// What groups are about and members are interested in, with its words.
struct Theme: Sendable {
    /// A group's title and a sentence that goes with it.
    ///
    /// In the title and the sentence `{place}` stands for a place as a sentence says it ("the Dolomites"),
    /// `{Place}` for its bare name, `{subject}` for a subject and `{Subject}` for it in title case.
    struct Wording: Sendable {
        let title: String
        let sentence: String

        init(_ title: String, _ sentence: String) {
            self.title = title
            self.sentence = sentence
        }
    }

    /// The interest, as users and groups name it.
    let name: String
    /// Further topics of its groups.
    let topics: [String]
    /// Tags that any of its photos may bear.
    let tags: [String]
    let season: Season
    let hours: HourPattern
    /// The places its groups may be about; empty when places do not matter.
    let placeKinds: [Place.Kind]
    /// Whether groups about a subject may add a technique: pointless where the theme is one.
    let takesTechniques: Bool
    /// Whether its subjects are found in any of its places: there are no dunes in Tuscany.
    let hasSubjectsEverywhere: Bool
    /// Well-known groups, most popular first.
    let wordings: [Wording]
    /// Groups about the theme in a place.
    let placeWordings: [Wording]
    /// Narrower subjects, as a plural in the middle of a sentence, with the tags of their photos.
    let subjects: [(name: String, tags: [String])]

    /// - Parameters:
    ///   - topics, tags: separated by spaces.
    ///   - subjects: a plural, and its tags separated by spaces.
    init(
        _ name: String, topics: String, tags: String, season: Season = .none, hours: HourPattern = .daylight,
        places: [Place.Kind] = [], techniques: Bool = true, everywhere: Bool = true, _ wordings: [Wording],
        inPlaces: [Wording] = [],
        subjects: KeyValuePairs<String, String>
    ) {
        self.name = name
        self.topics = PlainText.words(topics)
        self.tags = PlainText.words(tags)
        self.season = season
        self.hours = hours
        self.placeKinds = places
        self.takesTechniques = techniques
        self.hasSubjectsEverywhere = everywhere
        self.wordings = wordings
        self.placeWordings = inPlaces
        self.subjects = subjects.map { (name: $0.key, tags: PlainText.words($0.value)) }
    }

    /// All themes, most popular first.
    ///
    /// The first one takes any photo, and nobody calls it an interest.
    static let all = [
        anything, landscape, street, birds, macro, portraits, blackAndWhite, flowers, film, night, travel, architecture,
        wildlife, sunsets, cats, autumn, beach, mountains, dogs, skylines, insects, snow, water, trains, blossom, food,
        cars, abandoned, astronomy, christmas, boats, reflections, minimalism, bridges, doors, stillLife, aircraft,
        concerts, forests, sport, weather, streetArt, instant, mobile, bicycles, aurora, fungi, gardens, longExposure,
        churches, selfPortraits, signs, markets, underwater, toys, infrared,
    ]

    /// The theme of groups that take any photo, as an index of `all`.
    static let anythingIndex = 0
}
