import Evaluation
import Experiments

/// The report of an experiment whose lists are interleaved.
struct InterleavingOutput {
    /// Which list members prefer, by one kind of what they did.
    struct Votes: Encodable {
        var by: String
        /// Members who prefer the first arm's list, the second's, and neither.
        var first, second, neither: Int
        /// By the sign test.
        var pValue, holmPValue: Double
    }

    struct Document: Encodable {
        var experiment: String
        var arms: [String]
        var votes: [Votes]
    }

    private let document: Document

    init(_ definition: ExperimentDefinition, _ outcomes: ExperimentOutcomes) {
        let all = [("clicks", outcomes.votes.clicks), ("joins", outcomes.votes.joins)]
        let adjusted = Holm.adjusted(all.map(\.1.pValue))
        document = Document(
            experiment: definition.name, arms: definition.arms.map(\.name),
            votes: zip(all, adjusted).map { named, adjusted in
                Votes(
                    by: named.0, first: named.1.first, second: named.1.second, neither: named.1.neither,
                    pValue: named.1.pValue, holmPValue: adjusted)
            })
    }

    func write(asJSON: Bool) throws {
        var output = try Output()
        if asJSON {
            try output.json(document: document)
        } else {
            try output.line("\(document.experiment): lists of \(document.arms[0]) and \(document.arms[1]), interleaved")
            for votes in document.votes { try output.line(sentence(votes)) }
        }
        try output.flush()
    }

    private func sentence(_ votes: Votes) -> String {
        let counts = """
            by \(votes.by), \(votes.first) members prefer \(document.arms[0]), \(votes.second) \
            \(document.arms[1]), \(votes.neither) neither
            """
        guard votes.holmPValue < ExperimentReport.error else { return "\(counts): no difference was found" }
        let winner = document.arms[votes.first > votes.second ? 0 : 1]
        return "\(counts): \(winner) is better, p (Holm) \(ExperimentWords.short(votes.holmPValue))"
    }
}
