import CatalogStore
import Basics
import CommandLine
import Evaluation
import Model

/// A training catalog and a catalog with the held-out memberships, in a temporary folder.
struct EvaluationCatalogs {
    /// The temporary folder, which only this process uses.
    let folder: ScratchFolder
    let training: Facts
    /// The catalog with the held-out memberships, and perhaps others.
    let heldOut: Facts
    /// The moment at which the training catalog is cut, in Unix milliseconds, or `nil` if it is not cut by time.
    let moment: Int64?
    /// Whether the memberships are of two files, not of one catalog.
    private let areFiles: Bool
    /// The settings to compute with, or `nil` for the defaults.
    let tuning: TuningRecord?

    /// The tables that a file beside TRAIN can have.
    private static let others = Coterie.relations.sources.filter { $0 != .memberships }

    static let options =
        others.map { Option($0.table, "FILE", help: "With TRAIN: \($0.table) to learn from as well") } + [
            Option(flag: "tuned", help: "With TRAIN: compute with the tuned settings of the catalog"),
            Option(
                "hold-out", "RULE",
                help:
                    "Without TRAIN: the memberships of the catalog to hold out: a part of each member's groups such as "
                    + "0.2, last for the group joined last, or after:TIME for groups joined from then on; then everything else "
                    + "is cut at TIME as well, and lists are made as of TIME",
                default: "0.2"),
        ]

    /// Imports the given files, or copies the catalog without the held-out entries.
    init(_ parsed: ParsedCommand) throws {
        guard parsed.arguments.count != 1 else {
            throw UsageError("TEST is missing: give a file to learn from and one that is held out, or neither")
        }
        for name in ["photos", "find"] where !parsed.arguments.isEmpty && parsed.origin(of: name) != .standard {
            throw UsageError("--\(name) leaves out entries of the catalog: give no files")
        }
        areFiles = !parsed.arguments.isEmpty
        folder = try ScratchFolder()
        (training, heldOut) =
            try areFiles ? Self.imported(parsed, folder.path) : Self.divided(parsed, folder.path)
        let rule = try areFiles ? nil : Self.rule(parsed)
        moment = if case .after(let seconds)? = rule { seconds * 1000 } else { nil }
        tuning = try Self.tuning(parsed, training, before: moment)
    }

    /// Returns the settings; without files, those of the copied catalog.
    private static func tuning(
        _ parsed: ParsedCommand, _ training: Facts, before moment: Int64?
    ) throws -> TuningRecord? {
        guard parsed.flag("tuned") else {
            let tuning = try KeptTuning.record(in: training)
            guard let moment, let tuning, tuning.tunedAtMilliseconds >= moment else { return tuning }
            printToStandardError("the tuned settings are of a later time: the defaults are measured")
            return nil
        }
        guard !parsed.arguments.isEmpty else { throw UsageError("--tuned needs TRAIN and TEST") }
        guard let tuning = try KeptTuning.record(in: parsed.openCatalog()) else {
            throw Failure(.badData, "\(parsed.text("catalog")) is not tuned: run \"coterie tune\" first")
        }
        return tuning
    }

    /// Warns of memberships that are held out in vain, and refuses sets in which nothing can be found.
    func checkThatSomethingIsHeldOut(_ set: EvaluationSet) throws(Failure) {
        if areFiles, set.repeatedCount > 0 {
            let count = set.repeatedCount.grouped
            printToStandardError("warning: \(count) memberships of TEST are in TRAIN too: they do not count")
        }
        if areFiles, set.unknownUserCount > 0 {
            let count = set.unknownUserCount.grouped
            printToStandardError("warning: \(count) members of TEST are not in TRAIN: they do not count")
        }
        guard !set.members.contains(where: { $0.heldOutCount > 0 }) else { return }
        throw Failure(
            .badData,
            "nothing is held out of the members who can be measured: give another \(areFiles ? "TEST" : "--hold-out")")
    }

    func remove() { folder.remove() }

    private static func divided(_ parsed: ParsedCommand, _ folder: String) throws -> (Facts, Facts) {
        for source in others where parsed.textIfGiven(source.table) != nil {
            throw UsageError("--\(source.table) needs TRAIN and TEST")
        }
        let whole = try parsed.openCatalog()
        let path = folder + "/training.sqlite"
        let found = parsed.choiceIfGiven("find", of: Discovered.self)
        let source = found?.kind.source ?? (parsed.flag("photos") ? .pools : .memberships)
        let count = try rule(parsed).copy(whole, to: path, of: source)
        printToStandardError(
            "\(count.grouped) \(source == .pools ? "pool entries" : source.table) held out")
        let training = try Facts(path: path)
        guard try training.groups().contains(where: { $0.isShown }) else {
            throw Failure(
                .badData,
                "--hold-out \(parsed.text("hold-out")) leaves no public group to learn from: give a later time")
        }
        return (training, whole)
    }

    private static func imported(_ parsed: ParsedCommand, _ folder: String) throws -> (Facts, Facts) {
        let training = try imported(parsed.arguments[0], "training", in: folder)
        for source in others {
            if let file = parsed.textIfGiven(source.table) { try add(file, of: source, to: training, in: folder) }
        }
        return (training.facts, try imported(parsed.arguments[1], "held-out", in: folder).facts)
    }

    private static func imported(_ memberships: String, _ name: String, in folder: String) throws -> Catalog {
        let catalog = try Catalog(path: "\(folder)/\(name).sqlite", mode: .writing, relations: Coterie.relations)
        try add(memberships, of: .memberships, to: catalog, in: folder)
        return catalog
    }

    private static func add(
        _ file: String, of source: RelationSource, to catalog: Catalog, in folder: String
    ) throws {
        let options = ImportOptions(rejectsPath: "\(folder)/\(source.table)-rejects.tsv")
        let summary = try Importer(into: catalog, kind: .relation(source), options: options).run([file])
        if summary.rejected > 0 {
            printToStandardError("warning: \(summary.rejected.grouped) lines of \(file) are left out")
        }
    }

    private static func rule(_ parsed: ParsedCommand) throws(UsageError) -> HoldOutRule {
        let text = parsed.text("hold-out")
        if text == "last" { return .last }
        if text.hasPrefix("after:"), let time = UnixTime(String(text.dropFirst(6))) { return .after(time.seconds) }
        if let share = Double(text), share > 0, share < 1 { return .share(share) }
        throw parsed.badValue(
            text, of: "hold-out", expected: "a part such as 0.2, \"last\", or after:TIME such as after:2026-06-01")
    }
}
