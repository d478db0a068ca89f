import Answers
import CatalogStore
import Basics
import CommandLine
import Evaluation
import Model
import Similarity

/// The trials and the choice of a tuning, for people and as JSON.
struct TuningReport: Answer {
    private let record: TuningRecord
    private let isBetter: Bool
    private let journal: TuningJournal

    private static let shownTrials = 10

    init(_ record: TuningRecord, isBetter: Bool, _ journal: TuningJournal) {
        self.record = record
        self.isBetter = isBetter
        self.journal = journal
    }

    /// A table of the best trials, or of the stored settings, and the judgement.
    var lines: [String] {
        var table = TextTable(
            [
                .init(title: "recall@20", isNumber: true), .init(title: "NDCG@20", isNumber: true),
                .init(title: "to the defaults"), .init(title: "relation"),
            ]
                + ["a", "p", "q", "h", "r", "g", "y"].map { .init(title: $0, isNumber: true) }
                + [.init(title: "cut"), .init(title: "k", isNumber: true), .init(title: "weight", isNumber: true)])
        let best = journal.best(Self.shownTrials)
        for trial in best {
            let difference = trial.difference.map { Self.text($0) } ?? "-"
            let figures = [Formats.fixed(trial.recall, 4), Formats.fixed(trial.gain, 4), difference]
            Self.add(trial.settings, figures, &table)
        }
        if best.isEmpty {
            Self.add(record.settings, [Formats.fixed(record.recall, 4), "-", Self.text(record.difference)], &table)
        }
        let tried =
            journal.trials.isEmpty
            ? [] : ["\(journal.trials.count) settings tried in \(Formats.seconds(journal.seconds)); the best:"]
        return tried + table.lines + [judgement]
    }

    private var judgement: String {
        let found = isBetter ? "in use since" : "\(reason), so the defaults stay in use:"
        let time = isBetter ? " " + (UnixTime(seconds: record.tunedAtMilliseconds / 1000)?.description ?? "") + ":" : ""
        return "\(found)\(time) \(record.memberCount.grouped) other members have recall@20 "
            + "\(Formats.fixed(record.recall, 4)), and \(Formats.fixed(record.usualRecall, 4)) with the defaults, "
            + "the mean of recall and NDCG is \(Self.text(record.difference, "better by ", "worse by "))"
            + popular
    }

    private var reason: String {
        record.difference.isBeyondChance ? "no better than the most popular groups" : "no better than the defaults"
    }

    /// The comparison with the most popular groups.
    private var popular: String {
        "; the most popular groups have \(Formats.fixed(record.popularRecall, 4)), and it is "
            + Self.text(record.differenceToPopular, "better by ", "worse by ")
    }

    private static func add(_ settings: TunedSettings, _ figures: [String], _ table: inout TextTable) {
        for (index, relation) in settings.relations.enumerated() {
            guard let part = settings[relation] else { continue }
            let formula = part.formula
            let numbers = [
                formula.degreeDiscount, formula.sourceExponent, formula.neighbourExponent, formula.shrinkage,
                formula.scorePower, formula.listPower, formula.limitExponent,
            ]
            table.add(
                (index == 0 ? figures : figures.map { _ in "" }) + [relation.rawValue]
                    + numbers.map { Formats.significant($0, 4) }
                    + [formula.cut.rawValue, String(part.limit), Formats.significant(part.weight, 4)])
        }
    }

    /// Returns a difference with its standard error, after a word for its sign.
    private static func text(_ difference: PairedDifference, _ better: String = "+", _ worse: String = "-") -> String {
        (difference.mean < 0 ? worse : better) + Formats.fixed(abs(difference.mean), 4) + " ± "
            + Formats.fixed(difference.standardError, 4)
    }

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("isBetter", \.isBetter, "Whether the choice is better than the defaults")
        fields.always("tuning", { StoredDocument(content: $0.record) }, "The choice, as the catalog has it")
        fields.always("journal", { StoredDocument(content: $0.journal) }, "The trials")
    }
}

/// The settings that a catalog has: `coterie tune --show`.
struct StoredTuning: Answer {
    let record: TuningRecord?

    static func declare(_ fields: inout some FieldList<Self>) {
        fields.always("isTuned", { $0.record != nil }, "Whether there are any, or else the defaults are in use")
        fields.sometimes("tuning", { $0.record.map(StoredDocument.init) }, "The settings, as the catalog has them")
    }
}

/// The trials of a tuning on one state of a catalog.
struct TrialJournal: Codable {
    /// The catalog's number of changes; the trials are not valid for another state.
    var changeCount: Int64
    /// The version of the method that measured the trials; trials of another method are not valid.
    var method: Int
    var journal: TuningJournal

    static let method = 6

    init(changeCount: Int64, journal: TuningJournal) {
        self.changeCount = changeCount
        self.journal = journal
        method = Self.method
    }
}

/// The results that a tuning keeps in a catalog.
enum KeptTuning {
    /// Returns the settings that a tuning chose, or `nil` for the defaults.
    static func record(in catalog: Facts) throws -> TuningRecord? { try kept(.settings, catalog) }

    /// Returns the trials on the current state of the catalog; empty if there are none.
    static func journal(in catalog: Facts) throws -> TuningJournal {
        let kept: TrialJournal? = try kept(.journal, catalog)
        guard let kept, kept.method == TrialJournal.method, try kept.changeCount == catalog.changeCount() else {
            return TuningJournal()
        }
        return kept.journal
    }

    /// Stores a part of a tuning as JSON.
    static func keep(_ note: TuningNote, _ value: some Encodable, in catalog: Catalog) throws {
        try catalog.keepTuningNote(note, String(decoding: try JSON.encoded(value), as: UTF8.self))
    }

    private static func kept<Value: Decodable>(_ note: TuningNote, _ catalog: Facts) throws -> Value? {
        guard let text = try catalog.tuningNote(note) else { return nil }
        do { return try JSON.decoded(Value.self, from: text.utf8) } catch {
            throw Failure(
                .badData,
                """
                the tuning in \(catalog.path) cannot be read: remove it with "coterie tune --discard", and tune again
                """)
        }
    }
}
