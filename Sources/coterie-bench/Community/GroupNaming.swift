/// Gives groups unique titles and identifiers, and descriptions.
struct GroupNaming {
    /// The title and description of a group, with its subject and place.
    struct Name {
        var title: String
        var description: String
        /// The index of the subject among the theme's subjects.
        var subject: Int?
        /// The index of the place in `Place.all`.
        var place: Int?
    }

    private var titles: Set<String> = []
    private var identifiers: Set<String> = []
    /// The number of well-known groups of each theme that exist.
    private var wellKnown = Array(repeating: 0, count: Theme.all.count)
    private let placesOfTheme = Theme.all.map { theme in
        Place.all.indices.filter {
            theme.placeKinds.contains(Place.all[$0].kind) && (theme.placeFeature.map(Place.all[$0].has) ?? true)
        }
    }

    mutating func name(theme index: Int, _ random: inout EntityRandom) -> Name {
        let groups = Theme.all[index].groups
        let number = wellKnown[index]
        // The best-known groups come first, then more and more of the others in between.
        if number < groups.count, number < 3 || random.chance(550) {
            wellKnown[index] += 1
            if titles.insert(groups[number].title).inserted {
                return Name(title: groups[number].title, description: groups[number].description)
            }
        }
        var name = candidate(theme: index, &random)
        for _ in 0..<12 {
            if titles.insert(name.title).inserted { return name }
            name = candidate(theme: index, &random)
        }
        return narrowed(name, &random)
    }

    /// Names a group like another one, in nearly the same words, or returns `nil` if all such titles are taken.
    mutating func duplicate(of title: String, _ random: inout EntityRandom) -> Name? {
        for _ in 0..<4 {
            let wording = random.element(of: TitleKind.duplicate.wordings)
            let duplicate = PlainText.filling(wording.title, ["{Subject}": title])
            if titles.insert(duplicate).inserted { return Name(title: duplicate, description: wording.description) }
        }
        return nil
    }

    /// Returns the title as an identifier, with a number if the identifier is taken.
    mutating func identifier(for title: String) -> String {
        let slug = PlainText.slug(title)
        var identifier = slug
        var number = 2
        while !identifiers.insert(identifier).inserted {
            identifier = "\(slug)-\(number)"
            number += 1
        }
        return identifier
    }

    /// Returns a name that may be taken.
    private func candidate(theme index: Int, _ random: inout EntityRandom) -> Name {
        let theme = Theme.all[index]
        let place = pickPlace(theme: index, &random)
        let subject = random.below(theme.subjects.count)
        let kind = random.below(100)
        if let place, kind < 45, !theme.placeGroups.isEmpty {
            return fill(random.element(of: theme.placeGroups), subject: nil, place: place, theme)
        }
        if let place, kind < 57, theme.hasSubjectsEverywhere {
            return fill(random.element(of: TitleKind.place.wordings), subject: subject, place: place, theme)
        }
        if theme.takesTechniques, kind >= 90 {
            return fill(random.element(of: TitleKind.technique.wordings), subject: subject, place: nil, theme)
        }
        // A plain title is more frequent than any single adorned one.
        let title = random.chance(350) ? TitleKind.plain : .adorned
        return fill(random.element(of: title.wordings), subject: subject, place: nil, theme)
    }

    private func fill(_ wording: Wording, subject: Int?, place: Int?, _ theme: Theme) -> Name {
        var replacements: [String: String] = [:]
        if let subject {
            replacements["{subject}"] = theme.subjects[subject].name
            replacements["{Subject}"] = PlainText.titleCase(theme.subjects[subject].name)
        }
        if let place {
            replacements["{place}"] = Place.all[place].phrase
            replacements["{Place}"] = Place.all[place].name
        }
        return Name(
            title: PlainText.filling(wording.title, replacements),
            description: PlainText.capitalized(PlainText.filling(wording.description, replacements)),
            subject: subject, place: place)
    }

    /// Draws two places and returns the earlier one: places later in the list have fewer groups.
    private func pickPlace(theme: Int, _ random: inout EntityRandom) -> Int? {
        let places = placesOfTheme[theme]
        guard !places.isEmpty else { return nil }
        return places[min(random.below(places.count), random.below(places.count))]
    }

    /// Changes a name that is taken: adds one or two narrowings to it, and if that is taken too, a number.
    private mutating func narrowed(_ name: Name, _ random: inout EntityRandom) -> Name {
        var narrowed = name
        for _ in 0..<2 {
            let narrowing = random.element(of: TitleKind.narrowing.wordings)
            guard !narrowed.title.hasSuffix(narrowing.title) else { continue }
            narrowed.title += narrowing.title
            narrowed.description = "\(narrowed.description.dropLast()); \(narrowing.description)."
            if titles.insert(narrowed.title).inserted { return narrowed }
        }
        let title = narrowed.title
        var number = 2
        while !titles.insert("\(title) #\(number)").inserted { number += 1 }
        narrowed.title = "\(title) #\(number)"
        return narrowed
    }
}
