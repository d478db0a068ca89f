/// A city or a region where members live and photos are taken.
struct Place: Decodable, Sendable {
    enum Kind: String, Decodable {
        case city, region
        /// A region where the aurora is seen.
        case northern
    }

    /// What a place must have for some themes.
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
    /// Whether it has no coast.
    let isInland: Bool
    /// In units of 0.00001 degree, north positive.
    let latitude: Int
    /// In units of 0.00001 degree, east positive.
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

    /// The greatest distance of photos from its middle, in units of 0.00001 degree.
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

    /// For each city, the three regions nearest to it, as indices of `all`.
    static let regionsNearCities = cities.map { city in
        let regions = all.indices.dropFirst(cities.count)
        return Array(regions.sorted { all[city].distance(to: all[$0]) < all[city].distance(to: all[$1]) }.prefix(3))
    }

    /// A measure of distance that is good enough to compare with: squared, on a flat map.
    private func distance(to other: Place) -> Int {
        let north = latitude - other.latitude
        let east = longitude - other.longitude
        return north * north + east * east / 2
    }
}
