/// Gives groups titles, sentences and identifiers of which none comes twice.
struct GroupNaming {
    /// A group's name and the sentence that goes with it, and what they are about.
    struct Name {
        let title: String
        let sentence: String
        let subject: Int?
        let place: Int?
    }

    private var titles: Set<String> = []
    private var identifiers: Set<String> = []
    /// Per theme, how many of its well-known groups exist.
    private var wellKnown = Array(repeating: 0, count: Theme.all.count)
    private let placesOfTheme: [[Int]]

    init() {
        placesOfTheme = Theme.all.map { theme in
            Place.all.indices.filter { theme.placeKinds.contains(Place.all[$0].kind) }
        }
    }

    /// Names a group of a theme.
    mutating func name(theme index: Int, _ random: inout EntityRandom) -> Name {
        let theme = Theme.all[index]
        let number = wellKnown[index]
        // The best-known groups come first, then ever more of the others in between.
        if number < theme.wordings.count, number < 3 || random.chance(550) {
            wellKnown[index] += 1
            let wording = theme.wordings[number]
            if titles.insert(wording.title).inserted {
                return Name(title: wording.title, sentence: wording.sentence, subject: nil, place: nil)
            }
        }
        var name = candidate(theme: index, &random)
        for _ in 0..<12 {
            if titles.insert(name.title).inserted { return name }
            name = candidate(theme: index, &random)
        }
        return narrowed(name, &random)
    }

    /// Names a group that does the same as another one, in nearly the same words.
    mutating func duplicate(of title: String, _ random: inout EntityRandom) -> (title: String, sentence: String)? {
        for _ in 0..<4 {
            let wording = random.element(of: SubjectWording.duplicates)
            let duplicate = PlainText.filling(wording.title, [("{Subject}", title)])
            if titles.insert(duplicate).inserted { return (duplicate, wording.sentence) }
        }
        return nil
    }

    /// The title as an identifier, numbered from the second of its kind.
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

    private func candidate(theme index: Int, _ random: inout EntityRandom) -> Name {
        let theme = Theme.all[index]
        let place = pickPlace(theme: index, &random)
        let subject = random.below(theme.subjects.count)
        let kind = random.below(100)
        if let place, kind < 45, !theme.placeWordings.isEmpty {
            let wording = random.element(of: theme.placeWordings)
            return fill(wording, subject: nil, place: place, theme)
        }
        if let place, kind < 57, theme.hasSubjectsEverywhere {
            return fill(random.element(of: SubjectWording.places), subject: subject, place: place, theme)
        }
        if theme.takesTechniques, kind >= 90 {
            return fill(random.element(of: SubjectWording.techniques), subject: subject, place: nil, theme)
        }
        // A plain title is likelier than any of the adorned ones, as it is in life.
        let wordings = random.chance(350) ? SubjectWording.plain : SubjectWording.adorned
        return fill(random.element(of: wordings), subject: subject, place: nil, theme)
    }

    private func fill(_ wording: Theme.Wording, subject: Int?, place: Int?, _ theme: Theme) -> Name {
        var replacements: [(placeholder: String, text: String)] = []
        if let subject {
            let name = theme.subjects[subject].name
            replacements += [("{subject}", name), ("{Subject}", PlainText.titleCase(name))]
        }
        if let place { replacements += [("{place}", Place.all[place].phrase), ("{Place}", Place.all[place].name)] }
        return Name(
            title: PlainText.filling(wording.title, replacements),
            sentence: PlainText.capitalized(PlainText.filling(wording.sentence, replacements)),
            subject: subject, place: place)
    }

    /// Small places have fewer groups: the index is the smaller of two draws.
    private func pickPlace(theme: Int, _ random: inout EntityRandom) -> Int? {
        let places = placesOfTheme[theme]
        guard !places.isEmpty else { return nil }
        return places[min(random.below(places.count), random.below(places.count))]
    }

    /// Sets a name apart from the one that is taken: by a narrowing, then by one more, at last by a number.
    private mutating func narrowed(_ name: Name, _ random: inout EntityRandom) -> Name {
        var title = name.title
        var sentence = String(name.sentence.dropLast())
        for _ in 0..<2 {
            let narrowing = random.element(of: SubjectWording.narrowings)
            guard !title.hasSuffix(narrowing.title) else { continue }
            title += narrowing.title
            sentence += "; \(narrowing.sentence)"
            if titles.insert(title).inserted {
                return Name(title: title, sentence: sentence + ".", subject: name.subject, place: name.place)
            }
        }
        var number = 2
        while !titles.insert("\(title) #\(number)").inserted { number += 1 }
        return Name(title: "\(title) #\(number)", sentence: sentence + ".", subject: name.subject, place: name.place)
    }
}
