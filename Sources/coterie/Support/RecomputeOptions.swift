import Answers
import CatalogStore
import CommandLine
import Evaluation
import Basics
import Model
import ModelStore
import Recompute
import Similarity

/// The options of all commands that compute neighbours.
enum RecomputeOptions {
    static var all: [Option] {
        Coterie.relations.flatMap(minimums) + [
            Option(
                "neighbours", "K",
                help: "The best pairs that a group keeps in each relation (default: as tuned, or else \(limits))",
                type: .integer(1...10_000), setting: Setting("recompute.neighbours"))
        ] + MeasureOptions.options + [CommonOptions.threads, ProcessorPathOption.option]
    }

    private static let bounds = 1...Int(UInt32.max)

    private static var limits: String {
        Set(Coterie.relations.map(\.limit)).sorted().map(String.init).joined(separator: " or ")
    }

    /// Returns the options for the thresholds from which on groups and pairs count in a relation.
    private static func minimums(of facts: RelationDescription) -> [Option] {
        let names = facts.plural.withCapital
        return [
            Option(
                "min-\(facts.name)", "X", help: "\(names) that a group needs to be compared by \(facts.name)",
                default: String(facts.minimumEntries), type: .integer(bounds),
                setting: Setting("recompute.\(facts.name).minimum")),
            Option(
                "min-common-\(facts.name)", "Y",
                help: "Common \(facts.plural) that a pair of groups needs by \(facts.name)",
                default: String(facts.minimumCommon), type: .integer(bounds),
                setting: Setting("recompute.\(facts.name).minimumCommon")),
        ]
    }
}

extension ParsedCommand {
    /// Returns the parameters of a recompute: from the options, otherwise as tuned, otherwise the defaults.
    func recomputeParameters(tuned: TuningRecord?) throws(UsageError) -> RecomputeParameters {
        var parameters = RecomputeParameters(relations: Coterie.relations, threads: try threadCount())
        // A tuning chooses parameters of the modified cosine, so plain cosine ignores it.
        let tuned = try MeasureOptions.measure(of: self) == .cosine ? nil : tuned
        if let tuned { parameters.use(tuned.settings, tunedAtMilliseconds: tuned.tunedAtMilliseconds) }
        for relation in Coterie.relations.relations {
            parameters[relation].minimumEntries = try integer("min-\(relation.rawValue)")
            parameters[relation].minimumCommon = try integer("min-common-\(relation.rawValue)")
            if let limit = try integerIfGiven("neighbours") { parameters[relation].limit = limit }
            parameters[relation].measure = try MeasureOptions.measure(
                of: self, otherwise: tuned?.settings[relation]?.formula ?? .standard)
        }
        parameters.path = try ProcessorPathOption.path(of: self)
        return parameters
    }
}

/// A file of metrics for the text collector of Prometheus's node_exporter.
struct MetricsFile {
    let path: String
    /// The catalog of the site: the files of several sites may be in one folder.
    let site: String

    init(_ path: String, _ parsed: ParsedCommand) {
        // The catalog itself may not be there yet.
        let (catalog, folder) = (parsed.text("catalog"), FileTree.folder(of: parsed.text("catalog")))
        (self.path, site) = (path, "\(Catalog.resolved(folder) ?? folder)/\(catalog.split(separator: "/").last ?? "")")
    }

    /// The text of the file, or an empty text if it cannot be read.
    private var text: String { RegularFile.text(path) ?? "" }

    /// Runs the weekly job, and writes its outcome to the file.
    ///
    /// - Throws: the error of the job.
    func watching<Outcome>(_ job: () throws -> Outcome) throws -> Outcome {
        do {
            let outcome = try job()
            update { $0.succeeded(at: $1) }
            return outcome
        } catch {
            let failure = Failure(error)
            update { $0.failed(at: $1, exitCode: failure.exitCode, reason: failure.message) }
            throw error
        }
    }

    private func update(_ change: (inout RecomputeStatus, _ seconds: Int64) -> Void) {
        var status = RecomputeStatus(text)
        change(&status, SystemClock.nowMilliseconds / 1000)
        replace(with: status.text)
    }

    /// Returns a sample with a label for the site, unless it has one.
    private func labelled(_ sample: Substring) -> String {
        guard !sample.hasPrefix("#"), !sample.contains("{site=\""),
            let end = sample.firstIndex(where: { "{ ".contains($0) })
        else { return String(sample) }
        let label = "{site=\"\(site.asLabelValue)\""
        let rest = sample[end...]
        return sample[..<end] + label + (rest.hasPrefix("{") ? "," + rest.dropFirst() : "}" + rest)
    }

    /// Replaces the text in one step; a failure is only a warning.
    ///
    /// The collector is another user, and may read at any moment.
    func replace(with text: String) {
        do throws(Failure) {
            let lines = text.split(separator: "\n").map { labelled($0) + "\n" }
            try PrivateFile.write(Array(lines.joined().utf8), to: path, mode: 0o644)
        } catch {
            printToStandardError(
                """
                warning: \(error.message); this user must be able to write to its \
                folder, and in a systemd unit ReadWritePaths= must name the folder
                """)
        }
    }
}

/// The similarity of two groups in one relation, and the rank of the other in the group's list.
struct RelationVerdict: Answer {
    private(set) var relation: String
    private(set) var size, otherSize, common: Int
    private var cosine: Double
    private var score: Double?
    private(set) var listedRank: Int?
    private var listedScore: Double?
    private var rank: Int?
    private var candidates: Int
    private var areShown: Bool
    private(set) var reason: String

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("relation", \.relation, "The relation")
        fields.always("size", \.size, "The entries of the group; n in formulas")
        fields.always("otherSize", \.otherSize, "The entries of the other")
        fields.always("common", \.common, "Common entries, such as members or public photos")
        fields.always("cosine", \.cosine, "The plain cosine of these counts")
        fields.sometimes(
            "score", \.score,
            "The score by the version's formula, before lists are divided by their sums; if the formula is known")
        fields.sometimes("listedRank", \.listedRank, "The other's rank in the version's list; if it is listed")
        fields.sometimes("listedScore", \.listedScore, "The other's score there; if it is listed")
        // If lists are cut at the target, it is the rank of the group for the other.
        fields.sometimes(
            "rank", \.rank, "The rank by these counts among groups that pass the thresholds; if the pair passes them")
        fields.always("candidates", \.candidates, "The groups that pass the thresholds with the one that ranks them")
        fields.always("areShown", \.areShown, "Whether both groups are public and not hidden now")
        fields.always("reason", \.reason, "Why the other is not listed, or its rank")
    }

    /// Counts the entries of both groups in the catalog as it is now.
    ///
    /// - Parameter concealed: the first of the groups that is not shown, and the reason in a word.
    init(
        _ facts: RelationDescription, _ group: GroupRecord, _ other: GroupRecord, _ catalog: Facts,
        _ version: LoadedVersion, concealed: (id: String, word: String)? = nil
    ) throws(Failure) {
        let relation = facts.relation
        guard let source = facts.source else { preconditionFailure("\(facts.name) has no table") }
        let report = version.manifest[relation]
        let minimumCommon = report?.minimumCommon ?? 1
        let minimumEntries = report?.minimumEntries ?? 1
        let formula = report.flatMap(ListFormula.init)
        // The pair is looked up among the pairs of the group that keeps its k best.
        let keeper = formula?.cut == .target ? other : group
        let kept = formula?.cut == .target ? group : other
        let found = try OverlapReport(
            of: keeper, in: source, of: catalog, minimumCommon: minimumCommon, alwaysIncluding: kept,
            weights: formula?.entryWeights(minimumEntries: minimumEntries))
        let mine =
            found.overlaps.first { $0.groupID.hasSameBytes(as: kept.id) }
            ?? Overlap(groupID: kept.id, common: 0, size: 0)
        self.relation = relation.rawValue
        (size, otherSize) = formula?.cut == .target ? (mine.size, found.size) : (found.size, mine.size)
        common = mine.common
        cosine = size > 0 && otherSize > 0 ? Double(common) / (Double(size) * Double(otherSize)).squareRoot() : 0
        score = formula?.score(mine.counts, ownSize: found.size)

        let passing = found.overlaps.filter { $0.common >= minimumCommon && $0.size >= minimumEntries }
        let isPassing = passing.contains { $0.groupID.hasSameBytes(as: kept.id) } && found.size >= minimumEntries
        candidates = found.size >= minimumEntries ? passing.count : 0
        if let formula, isPassing { rank = 1 + passing.count { formula.isBefore($0, mine) } }
        if let index = version.model.index(ofID: group.id), let otherIndex = version.model.index(ofID: other.id) {
            let list = version.model.neighbours(of: index, by: relation)
            if let position = list.firstIndex(where: { $0.index == otherIndex }) {
                listedRank = position + 1
                let scores = ListedScores(relation, in: version.model, version.manifest)
                listedScore = scores.score(of: list[position], to: index)
            }
        }
        areShown = concealed == nil
        reason = ""
        reason = explanation(group, other, report, concealed)
    }

    private func explanation(
        _ group: GroupRecord, _ other: GroupRecord, _ report: Manifest.RelationReport?,
        _ concealed: (id: String, word: String)?
    ) -> String {
        if group.id.hasSameBytes(as: other.id) { return "a group is not its own neighbour" }
        if let (id, word) = concealed {
            return listedRank == nil
                ? "\(id) is \(word), and \(word) groups are in no list"
                : "\(id) is \(word) since the version was made, and shown to nobody any more"
        }
        if let listedRank { return "rank \(listedRank)" }
        guard let report else { return "the version does not have this relation" }
        for (record, count) in [(group, size), (other, otherSize)] where count < report.minimumEntries {
            return "\(record.id) has \(count) \(relation), X is \(report.minimumEntries)"
        }
        if common < report.minimumCommon { return "\(common) common \(relation), Y is \(report.minimumCommon)" }
        guard let rank else { return "this program does not know the version's formula, \(report.measure)" }
        let whose = report.cut == ListLimitSide.target.rawValue ? " for \(other.id)" : ""
        let place = "rank \(rank) of \(candidates)\(whose)"
        let limit = report.pairLimits.limit(ofSize: report.cut == nil ? size : otherSize)
        if rank > limit { return "\(place), k is \(limit)" }
        return "\(place) now, but not in the version: the catalog changed since"
    }

    /// The line for people.
    var sentence: String {
        let counts =
            "\(common.grouped) common of \(size.grouped) and \(otherSize.grouped), cosine "
            + Formats.fixed(cosine, 4)
        if !areShown { return "not listed: \(reason)" }
        if listedRank != nil {
            let score = listedScore.map { ", score " + Formats.score($0) } ?? ""
            return "\(reason)\(score); \(counts)"
        }
        return "not listed: \(reason); \(counts)"
    }
}

extension Overlap {
    fileprivate var counts: PairCounts { PairCounts(common: common, otherSize: size, weightSum: weightSum) }
}

extension ListFormula {
    /// Returns the weights of common entries, or `nil` if all are equal.
    fileprivate func entryWeights(minimumEntries: Int) -> EntryWeights? {
        hasWeights ? EntryWeights(minimumEntries: minimumEntries, weight: weight(ofDegree:)) : nil
    }

    /// Returns whether one overlap is before another in a list: the closer one, or by the bytes of ids, ascending.
    fileprivate func isBefore(_ left: Overlap, _ right: Overlap) -> Bool {
        if isCloser(left.counts, than: right.counts) { return true }
        if isCloser(right.counts, than: left.counts) { return false }
        return left.groupID.utf8.lexicographicallyPrecedes(right.groupID.utf8)
    }
}
