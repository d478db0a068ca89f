import Basics
package import CatalogStore

/// Hints on data that a catalog lacks, and that would make lists better.
package struct StatsHints {
    /// The hints, a line for each, with the kind of data that it is about.
    package private(set) var lines: [(kind: String, text: String)] = []

    package init(_ statistics: CatalogStatistics) {
        for relation in statistics.relations where relation.rowKind == "groups" { look(at: relation) }
        for things in statistics.things where things.rows > 0 { look(at: things) }
    }

    private mutating func note(_ kind: String, _ text: String) { lines.append((kind, text)) }

    private mutating func look(at relation: CatalogStatistics.Relation) {
        guard relation.rows > 0 else {
            note(
                relation.name, "no \(relation.name): groups are not compared by them (coterie import \(relation.name))")
            return
        }
        if relation.dates.count * 2 < relation.rows {
            note(relation.name, "most \(relation.name) have no date: trends and seasons need them")
        }
        let small = relation.groupSizes.count(below: 4)
        if small * 2 > relation.groupSizes.total {
            let part = share(small, relation.groupSizes.total)
            note(relation.name, "\(part) of the groups have fewer than 4 \(relation.name): too few to be compared")
        }
        let few = relation.entrySizes.count(below: 2)
        if few * 2 > relation.entrySizes.total {
            note(
                relation.name,
                "\(share(few, relation.entrySizes.total)) of the \(relation.entries) are in fewer than 2 groups, "
                    + "and tell nothing about the similarity of groups")
        }
    }

    private mutating func look(at things: CatalogStatistics.EntityCounts) {
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
        let undescribed = things.count("undescribed")
        if undescribed > 0, undescribed < things.rows {
            note(
                things.name,
                "\(undescribed.grouped) \(things.name) are named by memberships or pools alone, and not shown, "
                    + "as they may be private (coterie import \(things.name))")
        }
        for (property, use) in wanted[things.name] ?? [] {
            let count = things.count(property)
            if count * 2 < things.rows {
                note(things.name, "\(share(count, things.rows)) of the \(things.name) are \(property): \(use)")
            }
        }
    }

    private func share(_ part: Int, _ whole: Int) -> String {
        Formats.percent(Double(part) / Double(max(1, whole)), digits: 0)
    }
}
