import CatalogStore
import Evaluation
import FoundationEssentials

/// What a tuning tried on one state of a catalog.
struct KeptJournal: Codable {
    /// The catalog's number of changes: of another state nothing is known.
    var changeCount: Int64
    /// How trials are measured: of another method nothing is known either, and earlier programs wrote none.
    var method: Int?
    var journal: TuningJournal

    static let method = 2

    init(changeCount: Int64, journal: TuningJournal) {
        self.changeCount = changeCount
        self.journal = journal
        method = Self.method
    }
}

extension Catalog {
    /// The settings that a tuning chose; nil for the defaults.
    func tuning() throws -> TuningRecord? { try kept(.settings) }

    /// What a tuning tried in the present state; nothing if there was none.
    func tuningJournal() throws -> TuningJournal {
        let kept: KeptJournal? = try kept(.journal)
        guard let kept, kept.method == KeptJournal.method, try kept.changeCount == changeCount() else {
            return TuningJournal()
        }
        return kept.journal
    }

    /// Keeps something of a tuning as JSON.
    func keep(_ note: TuningNote, _ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        try keepTuningNote(note, String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    private func kept<Value: Decodable>(_ note: TuningNote) throws -> Value? {
        guard let text = try tuningNote(note) else { return nil }
        do { return try JSONDecoder().decode(Value.self, from: Data(text.utf8)) } catch {
            throw Failure(
                Failure.badData,
                "the tuning in \(path) cannot be read: remove it with \"coterie tune --discard\", and tune again")
        }
    }
}
