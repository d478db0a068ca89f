import CommandLineOptions
import Evaluation
import ModelStore

/// How well lists for photos find what was left out of pools, as a table and as JSON.
struct PhotoEvaluationReport {
    private let photoCount: Int
    private let lengths: [Int]
    private let measures: [PhotoEvaluation.Measures]

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
        photoCount = evaluation.photoCount
        self.lengths = lengths
    }

    /// Writes the table, or JSON.
    func write(_ parsed: ParsedCommand) throws {
        var output = try Output()
        if parsed.flag("json") {
            try output.json(document: document)
        } else {
            for text in table { try output.line(text) }
        }
        try output.flush()
    }

    private var table: [String] {
        var table = TextTable(
            [.init(title: "list"), .init(title: "at", isNumber: true)]
                + Accuracy.measures.map { .init(title: $0.name, isNumber: true) }
                + [.init(title: "to served, 95%", isNumber: true)])
        for measures in measures {
            let interval = measures.difference.interval
            for (place, length) in lengths.enumerated() {
                guard let accuracy = measures.accuracy[length] else { continue }
                table.add(
                    [place == 0 ? measures.list.rawValue : "", String(length)]
                        + Accuracy.measures.map { Formats.fixed(accuracy[keyPath: $0.value], 4) }
                        + [
                            place > 0
                                ? ""
                                : "\(Formats.fixed(interval.lowerBound, 4)) to \(Formats.fixed(interval.upperBound, 4))"
                        ])
            }
        }
        return ["\(Formats.grouped(photoCount)) photos with groups left out"] + table.lines
    }

    private struct Document: Encodable {
        struct List: Encodable {
            var list: String
            var accuracy: [AtLength]
            var recallDifference: Double
        }
        struct AtLength: Encodable {
            var at: Int
            var measures: [String: Double]
        }
        var photos: Int
        var lists: [List]
    }

    private var document: Document {
        Document(
            photos: photoCount,
            lists: measures.map { measures in
                Document.List(
                    list: measures.list.rawValue,
                    accuracy: lengths.compactMap { length in
                        guard let accuracy = measures.accuracy[length] else { return nil }
                        let values = Accuracy.measures.map { ($0.name, accuracy[keyPath: $0.value]) }
                        return Document.AtLength(at: length, measures: Dictionary(uniqueKeysWithValues: values))
                    }, recallDifference: measures.difference.mean)
            })
    }
}
