import Answers
import Basics
import CommandLine
import Evaluation
import Model
import ModelStore

/// The results of an evaluation, as tables, as CSV and as JSON.
struct EvaluationReport: Answer {
    private let result: EvaluationResult
    private let reference: String
    private let measures: [ListMeasures]
    private let hasIntervals: Bool

    init(_ result: EvaluationResult, against reference: EvaluationReference, samples: Int) {
        self.result = result
        self.reference =
            switch reference {
            case .list(let list): list.rawValue
            case .baseline: "baseline"
            }
        hasIntervals = samples > 0
        measures = result.measures(against: reference, samples: samples)
    }

    var table: [String] {
        let length = result.lengths[0]
        return [
            "\(result.memberCount.grouped) members, "
                + "\(result.testedCount.grouped) with held-out groups; "
                + "\(result.groupCount.grouped) groups"
        ] + accuracyTable + ["", "the first \(length), by size: members by their groups, groups by their members"]
            + sizeTable + ["", "the first \(length): what else they are like"] + listTable
    }

    private var accuracyTable: [String] {
        let against = "to \(reference)"
        var table = TextTable(
            "list",
            numbers: ["at"] + Accuracy.measures.map(\.name)
                + ["recall 95%", against, "95%", "ndcg 95%", against, "95%"])
        for measures in measures {
            for (place, length) in result.lengths.enumerated() {
                guard let accuracy = measures.accuracy[length] else { continue }
                let values = Accuracy.measures.map { four(accuracy[keyPath: $0.value]) }
                let intervals =
                    place > 0
                    ? [String](repeating: "", count: 6)
                    : [
                        interval(measures.recallInterval), signed(measures.difference.mean),
                        interval(measures.difference.interval), interval(measures.gainInterval),
                        signed(measures.gainDifference.mean), interval(measures.gainDifference.interval),
                    ]
                table.add([place == 0 ? measures.list.rawValue : "", String(length)] + values + intervals)
            }
        }
        return table.lines
    }

    private var sizeTable: [String] {
        let sizes = SizeClass.allCases
        var table = TextTable(
            "list", numbers: sizes.map { "in \($0.rawValue)" } + sizes.map { "of \($0.rawValue)" })
        for measures in measures where !measures.accuracy.isEmpty {
            table.add(
                [measures.list.rawValue] + sizes.map { measures.recallByMemberSize[$0].map(four) ?? "-" }
                    + sizes.map { measures.recallByGroupSize[$0].map(four) ?? "-" })
        }
        return table.lines
    }

    private var listTable: [String] {
        var table = TextTable(
            [.init(title: "list")] + Self.figures.map { .init(title: $0.name, isNumber: true) })
        for measures in measures {
            table.add([measures.list.rawValue] + Self.figures.map { four(measures[keyPath: $0.value]) })
        }
        return table.lines
    }

    /// The figures of lists other than accuracy.
    private static let figures: [(name: String, value: any KeyPath<ListMeasures, Double> & Sendable)] = [
        ("coverage", \.coverage), ("gini", \.gini), ("novelty", \.novelty), ("similarity", \.similarity),
        ("similarityCut", \.similarityCut), ("storedCut", \.storedCut), ("loss", \.loss),
        ("kept", \.kept), ("shareError", \.shareError), ("change", \.change), ("changeOfMany", \.changeOfMany),
        ("frozen", \.frozen), ("stability", \.stability), ("nearDuplicates", \.nearDuplicates),
    ]

    /// The CSV lines: a header, then a line for each list and length.
    var csv: [String] {
        let names = Accuracy.measures.map(\.name) + Self.figures.map(\.name)
        return [(["list", "at"] + names).joined(separator: ",")]
            + measures.flatMap { measures in
                result.lengths.map { length in
                    let accuracy = Accuracy.measures.map { measure in
                        measures.accuracy[length].map { six($0[keyPath: measure.value]) } ?? ""
                    }
                    let figures = Self.figures.map { six(measures[keyPath: $0.value]) }
                    return ([measures.list.rawValue, String(length)] + accuracy + figures).joined(separator: ",")
                }
            }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("members", \.result.memberCount, "All members")
        fields.always("membersTested", \.result.testedCount, "Members with held-out groups")
        fields.always("groups", \.result.groupCount, "Groups of the version")
        fields.always("against", \.reference, "What the lists are compared with")
        fields.always("lists", \.lists, "The measures of each list")
    }

    private var lists: [EvaluatedListReport] {
        measures.map { .init(measures: $0, lengths: result.lengths, hasIntervals: hasIntervals, figures: Self.figures) }
    }

    private func interval(_ interval: ClosedRange<Double>) -> String {
        hasIntervals ? "\(four(interval.lowerBound)) to \(four(interval.upperBound))" : "-"
    }

    private func four(_ value: Double) -> String { Formats.fixed(value, 4) }
    private func six(_ value: Double) -> String { Formats.fixed(value, 6) }
    private func signed(_ value: Double) -> String { (value < 0 ? "" : "+") + four(value) }
}

/// The measures of one list.
private struct EvaluatedListReport: Answer {
    let measures: ListMeasures
    let lengths: [Int]
    let hasIntervals: Bool
    let figures: [(name: String, value: any KeyPath<ListMeasures, Double> & Sendable)]

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("list", \.measures.list.rawValue, "The list")
        fields.always(
            "accuracy", { LengthAccuracy.all($0.measures.accuracy, at: $0.lengths) }, "Its accuracy at each length")
        fields.sometimes(
            "recallInterval", { $0.bounds($0.measures.recallInterval) }, "The 95% interval of recall; with samples")
        fields.always(
            "recallDifference", \.measures.difference.mean, "How much recall differs from what it is compared with")
        fields.sometimes(
            "recallDifferenceInterval", { $0.bounds($0.measures.difference.interval) },
            "The 95% interval of that; with samples")
        fields.sometimes(
            "ndcgInterval", { $0.bounds($0.measures.gainInterval) }, "The 95% interval of NDCG; with samples")
        fields.always(
            "ndcgDifference", \.measures.gainDifference.mean, "How much NDCG differs from what it is compared with")
        fields.sometimes(
            "ndcgDifferenceInterval", { $0.bounds($0.measures.gainDifference.interval) },
            "The 95% interval of that; with samples")
        fields.always(
            "recallByMemberSize", { named($0.measures.recallByMemberSize) }, "Recall by the groups of members")
        fields.always(
            "recallByGroupSize", { named($0.measures.recallByGroupSize) }, "Recall by the members of groups")
        fields.always(
            "figures",
            { list in
                Dictionary(uniqueKeysWithValues: list.figures.map { ($0.name, list.measures[keyPath: $0.value]) })
            }, "What else it is like")
    }

    private func bounds(_ interval: ClosedRange<Double>) -> [Double]? {
        hasIntervals ? [interval.lowerBound, interval.upperBound] : nil
    }

    private static func named(_ values: [SizeClass: Double]) -> [String: Double] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
    }
}

/// The accuracy of a list at one length.
private struct LengthAccuracy: Answer {
    let at: Int
    let accuracy: Accuracy

    /// Returns the accuracy at each length that has any, in the order of the lengths.
    static func all(_ accuracy: [Int: Accuracy], at lengths: [Int]) -> [LengthAccuracy] {
        lengths.compactMap { length in accuracy[length].map { LengthAccuracy(at: length, accuracy: $0) } }
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("at", \.at, "The length")
        fields.always(
            "measures",
            { row in
                Dictionary(
                    uniqueKeysWithValues: Accuracy.measures.map { ($0.name, row.accuracy[keyPath: $0.value]) })
            }, "The measures, by name")
    }
}

/// The accuracy of several lists, compared with the served one, as a table and as JSON.
struct ComparisonReport: Answer {
    /// The thing that lists are for, and that something was held out of.
    private let subject: (photos: Int?, members: Int?)
    private let title: String
    private let lengths: [Int]
    private let measures: [ComparedList]

    /// Measures the lists of groups for photos, by groups left out of pools.
    init(
        _ version: LoadedVersion, _ catalogs: EvaluationCatalogs, lengths: [Int], share: Double, samples: Int,
        threads: Int, _ line: ProgressLine
    ) throws {
        let evaluation = try PhotoEvaluation(
            version.model, version.manifest, training: catalogs.training, whole: catalogs.heldOut,
            relations: Coterie.relations, share: share, threads: threads)
        line.begin("measuring")
        measures = try evaluation.measures(lengths: lengths, samples: samples) {
            line.show(done: $0, total: evaluation.photoCount, unit: "photos")
        }
        line.clear()
        subject = (evaluation.photoCount, nil)
        title = "\(evaluation.photoCount.grouped) photos with groups left out"
        self.lengths = lengths
    }

    /// Measures the photos or contacts of members, by favourites or follows that were held out.
    init(_ evaluation: DiscoveryEvaluation, _ kind: ToldKind, lengths: [Int], samples: Int, _ line: ProgressLine)
        throws
    {
        line.begin("measuring")
        measures = try evaluation.measures(lengths: lengths, samples: samples) {
            line.show(done: $0, total: evaluation.memberCount, unit: "members")
        }
        line.clear()
        subject = (nil, evaluation.memberCount)
        title = "\(evaluation.memberCount.grouped) members with \(kind.rawValue) held out"
        self.lengths = lengths
    }

    /// Writes the table or the JSON.
    func write(_ parsed: ParsedCommand) throws {
        try parsed.print(self) { output in
            for text in table { try output.line(text) }
        }
    }

    private var table: [String] {
        var table = TextTable("list", numbers: ["at"] + Accuracy.measures.map(\.name) + ["to served, 95%"])
        for measures in measures {
            let interval = measures.difference.interval
            for (place, length) in lengths.enumerated() {
                guard let accuracy = measures.accuracy[length] else { continue }
                table.add(
                    [place == 0 ? measures.name : "", String(length)]
                        + Accuracy.measures.map { Formats.fixed(accuracy[keyPath: $0.value], 4) }
                        + [
                            place > 0
                                ? ""
                                : "\(Formats.fixed(interval.lowerBound, 4)) to \(Formats.fixed(interval.upperBound, 4))"
                        ])
            }
        }
        return [title] + table.lines
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.sometimes("photos", \.subject.photos, "Photos with groups left out; of lists for photos")
        fields.sometimes("members", \.subject.members, "Members with something held out; of lists for members")
        fields.always(
            "lists", { report in report.measures.map { List(measures: $0, lengths: report.lengths) } },
            "The measures of each list")
    }

    private struct List: Answer {
        let measures: ComparedList
        let lengths: [Int]

        static func declare(_ fields: inout some FieldList<Self>) {
            fields.always("list", \.measures.name, "The list")
            fields.always(
                "accuracy", { LengthAccuracy.all($0.measures.accuracy, at: $0.lengths) }, "Its accuracy at each length")
            fields.always(
                "recallDifference", \.measures.difference.mean, "How much recall differs from the served list")
        }
    }
}
