import CatalogStore
import CommandLineOptions
import Dispatch
import Evaluation
import Glibc
import Model
import Recommendation
import Similarity
import SparseMatrix
import Synchronization

/// `coterie-bench lists`: what each stage of a member's list does, on real memberships.
enum ListsBenchmark: Benchmark {
    static let command = Command(
        "lists", summary: "Measure what each stage of a member's list costs and gains, on your own memberships",
        discussion: """
            TRAIN and TEST are membership files as "coterie import" reads them; without TEST accuracy is not measured. \
            The first 20 of a list are compared with the best 20 by raw score. Cut is the share by which the \
            similarity within the list is lower, over stored pairs and over all pairs; loss is the share by which its \
            raw scores are lower.
            """,
        arguments: [
            Argument("TRAIN", help: "Memberships to learn from"),
            Argument("TEST", help: "Memberships held out", isOptional: true),
        ],
        options: [
            Option(
                "measure", "MEASURE", help: "The similarity formula", default: "cosine",
                allowed: ["cosine", "modified"]),
            Option("min-members", "X", help: "Groups with fewer members have no neighbours", default: "1"),
            Option("min-common-members", "Y", help: "Pairs with fewer common members are no neighbours", default: "1"),
            Option("neighbours", "K", help: "The most neighbours of a group", default: "100"),
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let threads = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let set = try readSet(parsed)
        let parameters = SimilarityParameters(
            minimumEntries: try parsed.integer("min-members", in: 1...Int.max),
            minimumCommon: try parsed.integer("min-common-members", in: 1...Int.max),
            limit: try parsed.integer("neighbours", in: 1...100_000),
            measure: parsed.text("measure") == "cosine" ? .cosine : .modified(.forLists))
        let experiment = ListExperiment(
            set, model: try set.model(parameters, threads: threads), configuration: PlanConfiguration(),
            key: RotationKey(0, 0))
        report(measure(experiment, members: set.members.count), set, parsed)
    }

    private static func readSet(_ parsed: ParsedCommand) throws -> EvaluationSet {
        let folder = "/tmp/coterie-bench-\(getpid())"
        defer { for suffix in ["-0", "-1"] { removeCatalog(folder + suffix) } }
        let catalogs = try parsed.arguments.enumerated().map { index, file in
            let catalog = try Catalog(path: "\(folder)-\(index).sqlite", mode: .writing)
            let options = ImportOptions(rejectsPath: "\(folder)-\(index)-rejects.tsv")
            _ = try Importer(into: catalog, kind: .memberships, options: options).run([file])
            return catalog
        }
        return try EvaluationSet(training: catalogs[0], heldOut: catalogs.count > 1 ? catalogs[1] : nil)
    }

    private static func removeCatalog(_ stem: String) {
        for suffix in [".sqlite", ".sqlite-wal", ".sqlite-shm", "-rejects.tsv"] { _ = unsafe unlink(stem + suffix) }
    }

    /// Measures portions of the members on all processors, and merges their sums in the order of the portions.
    private static func measure(_ experiment: ListExperiment, members: Int) -> ListSums {
        let portion = 256
        let portions = (members + portion - 1) / portion
        let sums = Mutex([ListSums?](repeating: nil, count: portions))
        DispatchQueue.concurrentPerform(iterations: portions) { number in
            var own = ListSums()
            experiment.measure(members: number * portion..<min(members, (number + 1) * portion), into: &own)
            sums.withLock { $0[number] = own }
        }
        return sums.withLock { all in
            all.reduce(into: ListSums()) { total, own in if let own { total.merge(own) } }
        }
    }

    private static func report(_ sums: ListSums, _ set: EvaluationSet, _ parsed: ParsedCommand) {
        print("\(set.members.count) members, \(set.groups.count) groups, \(set.matrix.entryCount) memberships")
        print("list        cut stored  cut exact    loss  share error  recall@20  NDCG@20")
        for pipeline in ListExperiment.Pipeline.allCases {
            let measures = sums.measures(of: pipeline)
            let row = [
                pad("\(pipeline)", 10, left: true), pad(Measuring.fixed(measures.storedCut, 4), 11),
                pad(Measuring.fixed(measures.exactCut, 4), 10),
                pad(Measuring.fixed(measures.loss, 4), 7), pad(Measuring.fixed(measures.shareError, 4), 12),
                pad(measures.recall.map { Measuring.fixed($0, 4) } ?? "-", 10),
                pad(measures.gain.map { Measuring.fixed($0, 4) } ?? "-", 8),
            ]
            print(row.joined(separator: " "))
        }
        let rotation = sums.rotation
        let diverse = sums.measures(of: .diverse)
        let recallCost = { (before: Double?, after: Double?) in
            before.flatMap { before in after.map { Measuring.fixed(1 - $0 / max(before, 1e-12), 4) } } ?? "null"
        }
        print(
            """
            {"benchmark":"lists","measure":"\(parsed.text("measure"))","members":\(diverse.members),\
            "storedCut":\(Measuring.fixed(diverse.storedCut, 4)),"exactCut":\(Measuring.fixed(diverse.exactCut, 4)),\
            "loss":\(Measuring.fixed(diverse.loss, 4)),"rotatedMembers":\(rotation.members),\
            "change":\(Measuring.fixed(rotation.change, 4)),"kept":\(Measuring.fixed(rotation.kept, 4)),\
            "recallCost":\(recallCost(sums.measures(of: .filtered).recall, sums.measures(of: .rotated).recall))}
            """)
    }

    private static func pad(_ text: String, _ width: Int, left: Bool = false) -> String {
        let space = String(repeating: " ", count: max(0, width - text.count))
        return left ? text + space : space + text
    }
}

extension ModifiedCosine {
    /// Parameters that were found on one public set of memberships and do well on others.
    fileprivate static let forLists = ModifiedCosine(
        degreeDiscount: 0.5, sourceExponent: 0.65, neighbourExponent: 0.31, shrinkage: 4.5, scorePower: 0.9)
}
