/// A city or a region where members live and photos are taken.
struct Place: Sendable {
    /// What kind of place a theme's groups may be about.
    enum Kind: Sendable {
        case city, region
        /// A region where the aurora is seen.
        case northern
    }

    /// The name without an article: "Lisbon", "Dolomites".
    let name: String
    /// Whether a sentence says "the" before it.
    let takesArticle: Bool
    let kind: Kind
    /// In units of 0.00001 degree, north positive.
    let latitude: Int
    /// In units of 0.00001 degree, east positive.
    let longitude: Int

    init(_ name: String, _ kind: Kind, _ latitude: Double, _ longitude: Double, article: Bool = false) {
        self.name = name
        self.takesArticle = article
        self.kind = kind
        self.latitude = Int((latitude * 100_000).rounded())
        self.longitude = Int((longitude * 100_000).rounded())
    }

    /// The name as a sentence says it: "Lisbon", "the Dolomites".
    var phrase: String { takesArticle ? "the " + name : name }

    /// The name as a tag: lower case, without accents and spaces.
    var tag: String { PlainText.tag(name) }

    var isSouthern: Bool { latitude < 0 }

    /// How far from its middle photos are taken at most, in units of 0.00001 degree.
    var radius: Int { kind == .city ? 9_000 : 55_000 }

    /// For each city, the three regions nearest to it, as indices of `all`.
    static let regionsNearCities = cities.map { city in
        regions.indices.sorted { city.distance(to: regions[$0]) < city.distance(to: regions[$1]) }
            .prefix(3).map { cities.count + $0 }
    }

    /// A measure of distance that is good enough to compare with: squared, and blind to the globe's shape.
    private func distance(to other: Place) -> Int {
        let north = latitude - other.latitude
        let east = longitude - other.longitude
        return north * north + east * east / 2
    }

    /// All places; those of one kind stand in order of popularity.
    static let all = cities + regions
}
