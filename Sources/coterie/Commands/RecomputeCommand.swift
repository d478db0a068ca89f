import Answers
import Basics
import CatalogStore
import CommandLine
import Looks
import Model
import Recompute
import Similarity

/// `coterie recompute`.
enum RecomputeCommand: Subcommand {
    static let command = Command(
        "recompute", changes: true, summary: "Compute every group's neighbours and publish a new model version",
        discussion: """
            This is the weekly job. It uses only public groups and public photos. Neighbours are exact: the lists are \
            those of brute force, for any number of threads. The new version is verified before it becomes current; if \
            anything fails, the current version stays.

            While it computes, another thread checks the whole catalog as SQLite does ("PRAGMA quick_check"). If the \
            catalog is damaged, nothing is published, and the job fails with exit code 65.

            With a store in Redis, the job first applies to the catalog the changes that daemons have acknowledged. \
            Each is applied exactly once, and those of each daemon in their order. A dry run does not apply them.

            A group needs at least X entries (members or photos), and a pair of groups at least Y common entries. The \
            formula itself gives pairs with few common entries a low score, so the defaults are 1.

            The modified cosine of two groups with n and m entries, c of them common, is

              (Σ d^-A / (n^P m^Q) · c / (c + H))^R

            The sum is over the common entries; d is the number of groups with at least X entries that an entry is in. \
            Each list is then divided by (the sum of its scores)^G. A = 0, P = Q = 0.5, H = 0, R = 1, G = 0 and \
            --cut source give the plain cosine.

            Before the switch the new version is compared with the current one. The job fails with exit code 65 if \
            too many groups, members or entries are gone, or too many groups have no neighbours. It also fails if \
            neighbours and scores differ too much. The new version is then published for inspection ("coterie models \
            diff"), and the current one stays. Neighbours are not judged when the formula was changed. --force makes \
            the new version current all the same. The job also fails if the catalog lacks changes that the newest \
            version has and no journal has any more. Such a catalog is a copy, or from an old backup.

            The lists of the version that was current are measured on the groups that members joined since. "coterie \
            models" shows the outcome.

            In members' lists, the weight of a relation other than memberships depends on how well it helps to find \
            memberships that are left out.

            With --tables the entries, the users and the photos come from a folder of tables, which another program \
            or "coterie export tables" has written. The members are published with the version, because the catalog \
            does not have them. With --share other processes find the neighbours. The version is the same, byte for \
            byte.

            If the catalog has vectors of photos, the version gets an index of those in public pools.

            If "coterie tune" has found better settings for this catalog, these are used instead of the defaults; \
            given options win over them.
            """,
        options: [CommonOptions.catalog] + CommonOptions.storeOptions + RecomputeOptions.all + ShareOptions.all + [
            Option(
                "keep", "N", help: "The versions to keep in the store, including the new one", default: "3",
                type: .integer(1...1000), setting: Setting("recompute.keep")),
            Option(
                flag: "members",
                help: "Publish members with a version in a folder too, for daemons that have no catalog",
                setting: Setting("recompute.publishMembers")),
            Option(
                flag: "no-quality",
                help: "Do not measure the lists of the current version on what members joined since",
                setting: Setting("recompute.noQuality")),
            Option(
                "memory", "MIB", help: "The memory limit in MiB (default: all available memory)",
                type: .integer(1...1 << 30), setting: Setting("recompute.memoryMiB")),
        ] + GateOptions.all + [
            Option(
                flag: "skip-missing",
                help: "Apply daemons' changes even if earlier ones are missing, which are then lost for good"),
            Option(
                "look-bytes", "N", help: "The bytes of a photo's code in the index of vectors", default: "16",
                allowed: ["8", "16"]),
            Option(
                flag: "no-look-vectors",
                help: "Publish codes alone for many vectors: a version is smaller, and similar photos less exact"),
            Option(
                flag: "no-map", help: "Draw no map of all groups, which takes some seconds for 100,000 groups",
                setting: Setting("recompute.noMap")),
            Option(flag: "no-check", help: "Check only the parts of the catalog that are read, not the whole file"),
            Option(flag: "dry-run", help: "Compute, but publish nothing and change nothing"),
            CommonOptions.recomputeMetrics, CommonOptions.json,
        ],
        examples: [
            "coterie recompute", "coterie recompute --store redis://localhost/0 --min-common-members 2",
            "coterie recompute --measure cosine --min-common-members 3",
            "coterie recompute --degree-discount 1 --neighbour-exponent 0.4 --cut source",
            "coterie recompute --dry-run --json",
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let outcome = try watched(parsed)
        try parsed.print(outcome) { output in for text in summary(outcome) { try output.line(text) } }
    }

    /// Runs the job, whose success does not depend on what is printed afterwards.
    private static func watched(_ parsed: ParsedCommand) throws -> RecomputeJob.Outcome {
        guard !parsed.flag("dry-run") else { return try compute(parsed, nil) }
        let path = parsed.text("catalog")
        let log =
            Catalog.resolved(path) == nil
            ? nil : WorkLog("recompute", beside: path) { SystemClock.nowMilliseconds }
        func logged() throws -> RecomputeJob.Outcome {
            do { return try compute(parsed, log) } catch {
                log?.end(Failure(error).message, hasFailed: true)
                throw error
            }
        }
        return try parsed.textIfGiven("metrics").map { try MetricsFile($0, parsed).watching(logged) } ?? logged()
    }

    /// Erases the vectors of photos that were removed, if this user may write to the catalog.
    private static func eraseRemovedVectors(_ catalog: Catalog) {
        guard Catalog.isWritable(catalog.path) else { return }
        do throws(Failure) { _ = try catalog.removal.eraseVectors() } catch {
            printToStandardError("warning: the vectors of removed photos could not be erased: \(error.message)")
        }
    }

    private static func compute(_ parsed: ParsedCommand, _ log: WorkLog?) throws -> RecomputeJob.Outcome {
        // Opening makes the tables of new relations. If it cannot be opened, the job itself says why.
        let catalog =
            parsed.flag("dry-run")
            ? nil : try? Catalog(path: parsed.text("catalog"), mode: .recording, relations: Coterie.relations)
        let tuned = try (catalog?.facts ?? (try? parsed.openCatalog())).flatMap(KeptTuning.record)
        var parameters = try parsed.recomputeParameters(tuned: tuned)
        parameters.versionsKept = try parsed.integer("keep")
        parameters.isDryRun = parsed.flag("dry-run")
        parameters.checksCatalog = !parsed.flag("no-check")
        parameters.drawsMap = !parsed.flag("no-map")
        parameters.gate = try GateOptions.limits(of: parsed)
        parameters.isForced = parsed.flag("force")
        parameters.publishesMembers = parsed.flag("members")
        parameters.measuresQuality = !parsed.flag("no-quality")
        parameters.skipsMissingChanges = parsed.flag("skip-missing")
        parameters.looks.codeBytes = parsed.text("look-bytes") == "8" ? 8 : 16
        parameters.looks.keepsVectors = !parsed.flag("no-look-vectors")
        var job = RecomputeJob(
            catalogPath: parsed.text("catalog"), store: try parsed.openStore(), parameters: parameters,
            startedAtMilliseconds: SystemClock.nowMilliseconds)
        job.tablesPath = parsed.textIfGiven("tables")
        job.finding = try ShareOptions.finding(parsed)
        job.memoryLimitBytes = try parsed.integerIfGiven("memory").map { $0 << 20 }
        let line = ProgressLine()
        let outcome: RecomputeJob.Outcome
        do {
            outcome = try job.run(observer: StepReporter(line: line, log: log))
        } catch {
            line.clear()
            throw error
        }
        if let catalog { eraseRemovedVectors(catalog) }
        log?.end(
            "version \(outcome.manifest.version) is current",
            notes: summary(outcome).suffix(1) + outcome.pruned.map { "version \($0) was removed" })
        if tuned == nil, Coterie.relations.allSatisfy({ parameters[$0.relation].measure == .modified(.standard) }) {
            printToStandardError(
                "these are the default parameters: \"coterie tune\" looks for better ones; on three public sets "
                    + "it found 2% to 5% more memberships")
        }
        return outcome
    }

    private static func summary(_ outcome: RecomputeJob.Outcome) -> [String] {
        var table = TextTable([
            .init(title: "relation"), .init(title: "groups", isNumber: true), .init(title: "below X", isNumber: true),
            .init(title: "with neighbours", isNumber: true), .init(title: "neighbours", isNumber: true),
            .init(title: "X", isNumber: true), .init(title: "Y", isNumber: true), .init(title: "k", isNumber: true),
        ])
        for report in outcome.manifest.relations {
            table.add(
                [report.relation.rawValue]
                    + [
                        report.groupsCounted, report.groupsBelowMinimum, report.groupsWithNeighbours, report.neighbours,
                        report.minimumEntries, report.minimumCommon, report.limit,
                    ].map(\.grouped))
        }
        let seconds = outcome.steps.reduce(0) { $0 + $1.seconds }
        let peak = outcome.steps.map(\.peakBytes).max() ?? 0
        return table.lines + [
            (outcome.isPublished ? "version \(outcome.manifest.version) is current" : "dry run: nothing was published")
                + "; \(Formats.seconds(seconds)), at most \(Formats.bytes(peak)) of memory"
        ]
    }
}

extension RecomputeJob.Outcome: Answer {
    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("isPublished", \.isPublished, "Whether the version is current")
        fields.always("manifest", { StoredDocument(content: $0.manifest) }, "The manifest of the version")
        fields.always("steps", { StoredDocument(content: $0.steps) }, "What each step took")
        fields.always("pruned", { $0.pruned.map(\.description) }, "Versions that were removed")
        fields.sometimes("comparison", \.comparison, "The difference from the version before; if there is one")
    }
}

/// Writes a line to standard error for each step, and shows progress on a terminal and in the log of jobs.
private struct StepReporter: RecomputeObserver {
    let line: ProgressLine
    let log: WorkLog?

    func stepBegan(_ name: String) {
        line.begin(name)
        log?.advance(to: name)
    }

    func planned(_ estimate: RecomputeEstimate, availableBytes: Int?) {
        let relations = Coterie.relations.tabled { estimate.work[$0]?.rows ?? 0 > 0 }
        let work = relations.map { facts in
            let amount = estimate.work[facts.relation] ?? .init(rows: 0, increments: 0)
            let increments = Formats.significant(amount.increments, 2)
            return "\(amount.rows.grouped) by \(facts.name) (Σ d² about \(increments))"
        }
        let available = availableBytes.map { " of \(Formats.bytes($0)) available" } ?? ""
        printToStandardError(
            "to compare: \(work.joined(separator: ", ")); expecting \(Formats.seconds(estimate.seconds)) and "
                + "\(Formats.bytes(estimate.memoryBytes)) of memory\(available)")
    }

    func stepAdvanced(done: Int, total: Int?, unit: String?, remainingSeconds: Double) {
        line.show(done: done, total: total, unit: unit, remainingSeconds: remainingSeconds)
        log?.advance(done: done, total: total, unit: unit, remainingSeconds: remainingSeconds)
    }

    func stepEnded(_ report: Manifest.StepReport, _ outcome: String, remainingSeconds: Double) {
        line.clear()
        let name = report.name + String(repeating: " ", count: max(1, 19 - report.name.count))
        let seconds = Formats.seconds(report.seconds)
        printToStandardError(
            name + String(repeating: " ", count: max(0, 7 - seconds.count)) + seconds + "  peak "
                + Formats.bytes(report.peakBytes) + "  " + outcome
                + (remainingSeconds >= 1 ? "; about \(Formats.seconds(remainingSeconds)) left" : ""))
    }

    func warn(_ message: String) {
        line.clear()
        printToStandardError("warning: \(message)")
    }
}
