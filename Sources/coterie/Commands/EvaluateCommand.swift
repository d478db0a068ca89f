import Basics
import CatalogStore
import CommandLine
import Evaluation
import FoundationEssentials
import Model
import ModelStore
import Recommendation
import Recompute
import Service

/// `coterie evaluate [TRAIN TEST]`.
enum EvaluateCommand: Subcommand {
    private static let names = EvaluatedList.allCases.map(\.rawValue)

    static let command = Command(
        "evaluate", summary: "Measure how well lists find memberships that were held out",
        discussion: """
            Learns from a part of the memberships, as "coterie recompute" does, and makes the lists that members would \
            get. Then it looks for the held-out memberships in these lists. With TRAIN and TEST, those of TEST are \
            held out; without them, a part of the catalog's. The catalog stays as it is.

            The lists are \(names.joined(separator: ", ")). From blend on, each has more stages than the one before. \
            popular has the groups with the most members. The others sum up: cosine plain cosines by members, raw \
            scores by members, blend scores by all relations. Figures of rotating lists are means over six buckets.

            Accuracy is measured on members with held-out groups, over all groups. A held-out group that the training \
            set does not know counts as missed.
            """,
        arguments: [
            Argument("TRAIN", help: "Memberships to learn from; without it, those of the catalog", isOptional: true),
            Argument("TEST", help: "Memberships held out", isOptional: true),
        ],
        options: EvaluationCatalogs.options + [
            Option(
                flag: "photos",
                help: "Hold out pool entries instead, and measure the lists for photos against popular groups, summed "
                    + "counts and summed cosines"),
            Option(
                "find", "WHAT",
                help: "Hold out favourites or follows instead, and measure the photos or contacts of members against "
                    + "popular ones and plain item-based filtering", allowed: Discovered.allCases.map(\.rawValue)),
            Option(
                "lengths", "N,…",
                help: "How many groups of a list count; all figures but accuracy use the first number",
                default: "20"),
            Option("sample", "PART", help: "The part of the members that is measured", default: "1"),
            Option(
                "against", "LIST", help: "The list that the others are compared with", default: "raw", allowed: names),
            Option(
                "baseline", "FILE",
                help: "Compare each list with the list of the same name in this file instead, which --lists wrote with "
                    + "other settings; a file with a single list, such as another program's, is compared with all"),
            Option("bootstrap", "N", help: "Samples for 95% intervals; 0 for none", default: "1000"),
            Option(
                "lists", "FILE", help: "Write the measured lists to this file, as tab-separated values", isOutput: true),
            Option(flag: "csv", help: "Write CSV, with a line for each list and length"),
        ] + RecomputeOptions.all + PlanOptions.all + [CommonOptions.catalog, CommonOptions.json],
        examples: [
            "coterie evaluate", "coterie evaluate --hold-out last --lengths 20,50",
            "coterie evaluate train.tsv test.tsv --pools pools.tsv --json", "coterie evaluate --photos --lengths 10",
            "coterie evaluate --find photos --hold-out last",
            "coterie evaluate --lists before.tsv", "coterie evaluate --variety 2 --baseline before.tsv",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let lengths = try self.lengths(parsed)
        let samples = try parsed.integer("bootstrap", in: 0...100_000)
        let share = try parsed.number("sample", in: 0.0001...1)
        try refuseListsOfMembers(parsed)
        let baseline = try parsed.baselineFile()
        let line = ProgressLine()
        defer { line.clear() }
        let catalogs = try EvaluationCatalogs(parsed)
        defer { catalogs.remove() }
        // Lists of another time would know what came later, or miss what was recent.
        let moment = parsed.textIfGiven("at") == nil ? catalogs.moment : nil
        let instant = try moment ?? parsed.planInstant()
        let version = try learned(parsed, catalogs, atMilliseconds: instant, line)
        if parsed.flag("photos") {
            let report = try ComparisonReport(
                version, catalogs, lengths: lengths, share: share, samples: samples,
                threads: parsed.threadCount(), line)
            return try report.write(parsed)
        }
        if let found = parsed.choiceIfGiven("find", of: Discovered.self) {
            line.begin("reading members")
            let evaluation = try DiscoveryEvaluation(
                found.kind, training: catalogs.training, whole: catalogs.heldOut,
                planner: VisibleSnapshot(version, planning: try parsed.planning()).planner, atMilliseconds: instant,
                share: share, threads: parsed.threadCount())
            line.clear()
            guard evaluation.memberCount > 0 else {
                throw Failure(
                    .badData,
                    "nothing that could be found is held out: \(found.need), or give another --hold-out")
            }
            let report = try ComparisonReport(evaluation, found.kind, lengths: lengths, samples: samples, line)
            return try report.write(parsed)
        }
        let model = version.model
        let planner = VisibleSnapshot(version, planning: try parsed.planning()).planner
        line.begin("reading members")
        var chosen = EvenShare(share)
        let set = try EvaluationSet(
            model: model, training: catalogs.training, heldOut: catalogs.heldOut, planner: planner,
            atMilliseconds: instant, where: { _ in chosen.next() }
        ) { line.show(done: $0, total: $1, unit: "users") }
        line.clear()
        try catalogs.checkThatSomethingIsHeldOut(set)
        let reference = try parsed.evaluationReference(baseline, set, length: lengths[0])
        let maker = try ListMaker(
            set, configuration: try parsed.planConfiguration().weighted(by: version.manifest),
            key: try parsed.rotationKey(), atMilliseconds: instant, length: lengths.max() ?? 20,
            threads: try parsed.threadCount())
        let evaluator = Evaluator(set, maker, lengths: lengths)
        if let path = parsed.textIfGiven("lists") { try write(evaluator, model, to: path) }
        line.begin("measuring")
        let result = evaluator.measure(threads: try parsed.threadCount()) { done, total in
            line.show(done: done, total: total, unit: "members")
        }
        line.clear()
        let report = EvaluationReport(result, against: reference, samples: samples)
        try parsed.print(report) { output in
            for text in parsed.flag("csv") ? report.csv : report.table { try output.line(text) }
        }
    }

    /// Refuses options about members' lists of groups together with `--photos` or `--find`.
    ///
    /// Other lists are always compared with the list `served`, and they are not written to a file.
    ///
    /// - Throws: `UsageError` if one of these options is given.
    private static func refuseListsOfMembers(_ parsed: ParsedCommand) throws(UsageError) {
        let isFinding = parsed.origin(of: "find") != .standard
        guard parsed.flag("photos") || isFinding else { return }
        guard !parsed.flag("photos") || !isFinding else {
            throw UsageError("--photos and --find cannot be given together: each holds out something else")
        }
        let given = isFinding ? "find" : "photos"
        for name in ["baseline", "lists", "against"] where parsed.origin(of: name) != .standard {
            throw UsageError("--\(given) and --\(name) cannot be given together: --\(name) is about lists of groups")
        }
        guard !parsed.flag("csv") else { throw UsageError("--\(given) and --csv cannot be given together: use --json") }
    }

    private static func lengths(_ parsed: ParsedCommand) throws -> [Int] {
        let texts = parsed.text("lengths").split(separator: ",", omittingEmptySubsequences: false)
        let lengths = texts.compactMap { Int($0) }.filter { (1...300).contains($0) }
        guard !lengths.isEmpty, lengths.count == texts.count, Set(lengths).count == lengths.count else {
            throw parsed.badValue(
                parsed.text("lengths"), of: "lengths", expected: "different numbers from 1 to 300, such as 20,50")
        }
        return lengths
    }

    /// Computes a version from the training catalog, as a recompute does, and loads it.
    private static func learned(
        _ parsed: ParsedCommand, _ catalogs: EvaluationCatalogs, atMilliseconds instant: Int64,
        _ line: ProgressLine
    ) throws -> LoadedVersion {
        let store = FolderStore(catalogs.folder.path + "/models")
        let job = RecomputeJob(
            catalogPath: catalogs.training.path, store: store,
            parameters: try parsed.recomputeParameters(tuned: catalogs.tuning),
            startedAtMilliseconds: max(0, instant))
        let outcome = try job.run(observer: ProgressObserver(line: line))
        return try store.load(outcome.manifest.version)
    }

    private static func write(_ evaluator: Evaluator, _ model: ModelVersion, to path: String) throws {
        var output = try Output(path: path)
        try output.write("list\tbucket\tuser_id\trank\tgroup_id\n")
        try evaluator.forEachMember { member, lists in
            for made in lists {
                for (index, item) in made.items.enumerated() {
                    let user = member.profile.userID
                    let fields = [made.list.rawValue, String(made.bucket), user, String(index + 1)]
                    try output.write(TabSeparated.line(fields + [model.id(of: Int(item.group))]))
                }
            }
        }
        try output.flush()
    }
}

/// The things other than groups that are found for members.
enum Discovered: String, CaseIterable {
    case photos
    case contacts

    /// The kind of what is held out.
    var kind: ToldKind { self == .photos ? .favourites : .follows }

    /// The data without which nothing can be found.
    var need: String {
        switch self {
        case .photos: "import favourites of photos that are in pools"
        case .contacts: "import follows, and users with yes in the column listed"
        }
    }
}

/// Shows the progress of a recompute on a terminal, and prints nothing else.
private struct ProgressObserver: RecomputeObserver {
    let line: ProgressLine

    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {}
    func stepBegan(_ name: String) { line.begin(name) }
    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {
        line.show(done: done, total: total, unit: unit)
    }
    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {}
    func warn(_ message: String) {}
}
