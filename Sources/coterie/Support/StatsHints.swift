import CatalogStore

/// What a catalog lacks that would make lists better, and what it is for.
struct StatsHints {
    /// A line for each.
    private(set) var lines: [String] = []

    init(_ statistics: CatalogStatistics) {
        for relation in statistics.relations { look(at: relation) }
        for things in statistics.things where things.rows > 0 { look(at: things) }
    }

    private mutating func look(at relation: CatalogStatistics.Relation) {
        guard relation.rows > 0 else {
            lines.append("no \(relation.name): groups are not compared by them (coterie import \(relation.name))")
            return
        }
        if relation.dates.count * 2 < relation.rows {
            lines.append("most \(relation.name) have no date: trends and seasons need them")
        }
        let small = relation.groupSizes.count(below: 4)
        if small * 2 > relation.groupSizes.total {
            lines.append(
                "\(share(small, relation.groupSizes.total)) of the groups "
                    + "have fewer than 4 \(relation.name): too few to be "
                    + "compared")
        }
        let few = relation.entrySizes.count(below: 2)
        if few * 2 > relation.entrySizes.total {
            lines.append(
                "\(share(few, relation.entrySizes.total)) of the \(relation.entries) "
                    + "are in fewer than 2 groups, and tell "
                    + "nothing of which groups are alike")
        }
    }

    private mutating func look(at things: CatalogStatistics.Things) {
        let wanted: [String: [(property: String, use: String)]] = [
            "groups": [
                ("with a title", "lists show ids instead"),
                ("with topics", "new members cannot be served by their interests"),
                ("with a last activity", "groups that fell asleep are recommended"),
            ],
            "users": [("with interests", "new members get popular groups alone")],
            "photos": [
                ("with tags", "photos are not matched with groups by them"),
                ("with an owner", "nothing is recommended by what members photograph"),
            ],
        ]
        for (property, use) in wanted[things.name] ?? [] {
            let count = things.count(property)
            if count * 2 < things.rows {
                lines.append("\(share(count, things.rows)) of the \(things.name) are \(property): \(use)")
            }
        }
    }

    private func share(_ part: Int, _ whole: Int) -> String {
        Formats.fixed(100 * Double(part) / Double(max(1, whole)), 0) + "%"
    }
}
