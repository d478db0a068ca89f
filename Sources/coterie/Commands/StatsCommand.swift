package import Answers
package import CatalogStore
import Basics
import CommandLine
import Model
import RecordReading
import Service

/// `coterie stats`.
enum StatsCommand: Subcommand {
    static let command = Command(
        "stats", summary: "Count what the catalog has, and say which data is missing for good lists",
        discussion: """
            Counts groups, users, photos and pairs such as memberships, and shows their dates. Shows how large groups \
            are, and how many groups members and photos are in. All tables are read once, which takes some seconds for \
            each fifty million rows.

            Then come groups that most members are in, and members of most groups, at most \
            \(CatalogStatistics.ubiquityLimit) each. Such a group tells nothing about a member: it is no interest and \
            no reason in lists. At the end come pairs of ids that differ only in blanks, letter case, leading zeros \
            or encoding. There are at most \(IDTwins.pairLimit) of each kind, with the command that makes them one. \
            Ids that look like no value, broken texts and equal vectors are counted, each with an example and what to \
            do.
            """,
        options: [CommonOptions.catalog, CommonOptions.json],
        examples: ["coterie stats", "coterie stats --catalog backup.sqlite --json"])

    static func run(_ parsed: ParsedCommand) throws {
        let catalog = try parsed.openCatalog()
        let statistics = try CatalogStatistics(of: catalog)
        let doubts = try CatalogDoubt.all(in: catalog)
        let hints = StatsHints(statistics).lines.map(\.text)
        let answer = CatalogFigures(statistics: statistics, hints: hints, doubts: doubts)
        try parsed.print(answer) { output in
            for line in lines(statistics) { try output.line(line) }
            try output.line("")
            for hint in hints { try output.line(hint) }
            if hints.isEmpty { try output.line("nothing is missing that lists are made from") }
            for line in ubiquity(statistics) + twins(statistics) + doubts.map(\.line) { try output.line(line) }
        }
    }

    private static func lines(_ statistics: CatalogStatistics) -> [String] {
        var table = TextTable([
            .init(title: ""), .init(title: "rows", isNumber: true), .init(title: "of these", maximumWidth: 100),
        ])
        for things in statistics.things {
            let properties = things.properties.map { "\($0.count.grouped) \($0.name)" }
            table.add([things.name, things.rows.grouped, properties.joined(separator: ", ")])
        }
        for relation in statistics.relations {
            let range = relation.dates.range.map { ", \(day($0.lowerBound)) to \(day($0.upperBound))" } ?? ""
            table.add([
                relation.name, relation.rows.grouped,
                "\(relation.dates.count.grouped) with a date\(range)",
            ])
        }
        table.add(["interactions", statistics.interactions.grouped, ""])
        if statistics.forgotten > 0 { table.add(["forgotten members", statistics.forgotten.grouped, ""]) }
        var lines = table.lines
        for relation in statistics.relations where relation.rows > 0 {
            lines += ["", "\(relation.rowKind) by how many \(relation.name) they have"] + chart(relation.groupSizes)
            let ofEntries =
                Coterie.relations.sources.contains { $0.table == relation.name && $0.answerColumn != nil }
                ? "\(relation.name) they wrote"
                : relation.rowKind == "groups" ? "groups they are in" : "users name them"
            lines += ["", "\(relation.entries) by how many \(ofEntries)"] + chart(relation.entrySizes)
        }
        return lines
    }

    /// Returns a line for each group of most members, and for each member of most groups, with a command that helps.
    private static func ubiquity(_ statistics: CatalogStatistics) -> [String] {
        func share(_ thing: CatalogStatistics.Ubiquitous) -> String {
            Formats.percent(Double(thing.count) / Double(thing.total), digits: 0)
        }
        let groups = statistics.ubiquitousGroups.map { group in
            """
            group \(group.id) has \(share(group)) of the members: it is no interest and no reason in lists; to show it \
            to nobody: coterie hide \(ShellWords.ids(group.id))
            """
        }
        let members = statistics.ubiquitousMembers.map { member in
            """
            user \(member.id) is in \(share(member)) of the groups, and weighs little in similarities; if it is no \
            person: coterie delete user \(ShellWords.ids(member.id))
            """
        }
        return groups + members
    }

    /// Returns a line for each pair of ids that differ only in their spelling, with a command that helps.
    private static func twins(_ statistics: CatalogStatistics) -> [String] {
        statistics.things.flatMap { things in
            things.twins.map { pair in
                let kind = String(things.name.dropLast())
                let names = "\(shown(pair.id)) and \(shown(pair.other))"
                let rename = "coterie rename \(kind) \(ShellWords.ids(pair.id, pair.other))"
                let remedy = kind == "photo" ? "write one of them in all files" : rename
                return "\(kind)s \(names) are two ids; if they are the same: \(remedy)"
            }
        }
    }

    private static func day(_ seconds: Int64) -> String {
        UnixTime(seconds: seconds).map { String($0.description.prefix(10)) } ?? "\(seconds)"
    }

    /// Returns a bar for each bucket, from the first one that is not empty.
    private static func chart(_ histogram: SizeHistogram) -> [String] {
        let width = 40
        let most = max(1, histogram.counts.max() ?? 1)
        let buckets = histogram.counts.indices.drop { histogram.counts[$0] == 0 }
        let labels = buckets.map { bucket in
            let sizes = SizeHistogram.sizes(ofBucket: bucket)
            return sizes.count == 1
                ? sizes.lowerBound.grouped
                : "\(sizes.lowerBound.grouped) to \(sizes.upperBound.grouped)"
        }
        let labelWidth = labels.map(\.count).max() ?? 0
        return zip(buckets, labels).map { bucket, label in
            let count = histogram.counts[bucket]
            // A bucket that is not empty gets at least one mark.
            let length = count == 0 ? 0 : max(1, count * width / most)
            let padding = String(repeating: " ", count: labelWidth - label.count)
            let bar = String(repeating: "█", count: length) + String(repeating: " ", count: width - length)
            return "  \(padding)\(label)  \(bar)  \(count.grouped)"
        }
    }
}

/// The contents of a catalog, and what it lacks: `coterie stats`.
private struct CatalogFigures: Answer {
    let statistics: CatalogStatistics
    let hints: [String]
    let doubts: [CatalogDoubt]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always(
            "things", { Dictionary($0.statistics.things.map { ($0.name, $0) }) { $1 } }, "Groups, users and photos")
        fields.always(
            "relations", { Dictionary($0.statistics.relations.map { ($0.name, $0) }) { $1 } },
            "Tables of pairs, by their names")
        fields.always("interactions", \.statistics.interactions, "What members did")
        fields.always("forgotten", \.statistics.forgotten, "Forgotten members")
        fields.always("ubiquitousGroups", \.statistics.ubiquitousGroups, "Groups of nearly all members")
        fields.always("ubiquitousMembers", \.statistics.ubiquitousMembers, "Members of nearly all groups")
        fields.always("doubts", \.doubts, "What is probably a mistake")
        fields.always("missing", \.hints, "What would make lists better")
    }
}

extension CatalogStatistics.EntityCounts: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("rows", \.rows, "How many there are")
        fields.always(
            "properties", { Dictionary($0.properties.map { ($0.name, $0.count) }) { $1 } },
            "How many have a property, by its name")
        fields.always("twins", { $0.twins.map { ["id": $0.id, "other": $0.other] } }, "Ids that look the same")
    }
}

extension CatalogDoubt: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("rows", \.rows, "The rows that have a doubtful value")
        fields.always("count", \.count, "How many there are")
        fields.always("example", \.example, "The id of one of them")
        fields.always("advice", \.remedy, "What to do")
    }

    private var remedy: String { advice + (command.map { " \($0) \(ShellWords.ids(example))" } ?? "") }
    fileprivate var line: String { "\(rows): \(count.grouped), such as \(shown(example)); \(remedy)" }
}

extension CatalogStatistics.Relation: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("rows", \.rows, "How many pairs there are")
        fields.always("dated", \.dates.count, "How many have a date")
        fields.sometimes("firstAtSeconds", \.dates.range?.lowerBound, "The first date, in Unix seconds")
        fields.sometimes("lastAtSeconds", \.dates.range?.upperBound, "The last date, in Unix seconds")
        fields.sometimes(
            "groupSizes", { $0.rowKind == "groups" ? $0.groupSizes.buckets : nil }, "Groups by their numbers of pairs")
        fields.sometimes(
            "userSizes", { $0.rowKind == "groups" ? nil : $0.groupSizes.buckets }, "Users by their numbers of pairs")
        fields.always("entrySizes", \.entrySizes.buckets, "Entries by their numbers of pairs")
    }
}

extension CatalogStatistics.Ubiquitous: Answer {
    package static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("id", \.id, "The group or the member")
        fields.always("count", \.count, "How many pairs it has")
        fields.always("total", \.total, "How many it could have")
    }
}

extension SizeHistogram {
    /// The bounds of each bucket, inclusive, and its count.
    fileprivate var buckets: [[String: Int]] {
        counts.enumerated().map { bucket, count in
            let sizes = SizeHistogram.sizes(ofBucket: bucket)
            return ["from": sizes.lowerBound, "to": sizes.upperBound, "count": count]
        }
    }
}
