import CatalogStore
@testable import Evaluation
import Foundation
import Model
import Recommendation
import Similarity
import TestSupport
import Testing

/// Measures of lists, compared with figures printed by Reference/figures.py, which shares no code with the program.
@Suite("What lists are like")
struct EvaluatorTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let sharedData = folder.path + "/../../../shared/data/mafengwo"
    static let instant: Int64 = 1_795_000_000_000

    /// The settings of the script: without shrinkage of the ceiling.
    private static var configuration: PlanConfiguration {
        var configuration = PlanConfiguration()
        configuration.filters.ceilingShrinkage = 0
        return configuration
    }

    private func measures(_ set: EvaluationSet, threads: Int = 2) throws -> [EvaluatedList: ListMeasures] {
        let maker = try ListMaker(
            set, configuration: Self.configuration, key: RotationKey(0, 0), atMilliseconds: Self.instant, length: 20,
            threads: threads)
        let result = Evaluator(set, maker, lengths: [20]).measure(threads: threads)
        #expect(result.memberCount == set.members.count)
        let measures = result.measures(against: .list(.raw), samples: 50)
        return Dictionary(uniqueKeysWithValues: measures.map { ($0.list, $0) })
    }

    /// Expects the figures of one line that the script printed.
    private func expect(
        _ measures: ListMeasures?, storedCut: Double, exactCut: Double, loss: Double, recall: Double, gain: Double,
        within tolerance: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let measures = try #require(measures)
        for (name, found, expected) in [
            ("stored cut", measures.storedCut, storedCut), ("exact cut", measures.similarityCut, exactCut),
            ("loss", measures.loss, loss), ("recall@20", measures.accuracy[20]?.recall ?? -1, recall),
            ("NDCG@20", measures.accuracy[20]?.gain ?? -1, gain),
        ] {
            #expect(abs(found - expected) <= tolerance, "\(name): \(found)", sourceLocation: sourceLocation)
        }
    }

    @Test("A small community: raw and filtered lists have the figures of an independent script", arguments: [1, 2])
    func community(threads: Int) throws {
        let files = try CommunityFiles(Self.folder.path + "/Reference/community.txt")
        let set = try files.evaluationSet(neighbours: 8)
        #expect(set.members.count == 30)
        let measures = try measures(set, threads: threads)
        for list in [EvaluatedList.raw, .blend] {
            try expect(
                measures[list], storedCut: 0, exactCut: 0, loss: 0, recall: 0.713333, gain: 0.413644, within: 1e-6)
        }
        try expect(
            measures[.filters], storedCut: 0.007901, exactCut: 0.007040, loss: 0.011855, recall: 0.703333,
            gain: 0.400895, within: 1e-6)
        #expect(measures[.rotation]?.change == 0)
        #expect(measures[.raw]?.difference.mean == 0)
        let recall = try #require(measures[.raw]?.accuracy[20]?.recall)
        #expect(measures[.raw]?.recallInterval.contains(recall) == true)
    }

    @Test("Kendall's tau counts pairs of groups that both lists have")
    func rankCorrelation() {
        #expect(RankCorrelation.tau([1, 2, 3, 4], [1, 2, 3, 4]) == 1)
        #expect(RankCorrelation.tau([1, 2, 3, 4], [4, 3, 2, 1]) == -1)
        // Of six pairs one is reversed; 9 and 8 are in one list only.
        #expect(RankCorrelation.tau([1, 2, 9, 3, 4], [2, 1, 3, 8, 4]) == 4.0 / 6)
        #expect(RankCorrelation.tau([1, 2], [2, 3]) == nil)
    }

    @Test("The same community: how alike the groups of one list are")
    func intraListSimilarity() throws {
        let set = try CommunityFiles(Self.folder.path + "/Reference/community.txt").evaluationSet(neighbours: 8)
        let birds = (0..<set.model.groupCount).filter { set.model.id(of: $0).hasPrefix("birds-") }
        let list = birds.map(UInt32.init)
        var cosines = PairCosines(set.matrix)
        // The second value comes from the cache.
        for _ in 0..<2 { #expect(abs(IntraListSimilarity.exact(list, &cosines) - 0.303200) < 1e-6) }
        #expect(abs(IntraListSimilarity.stored(list, in: VisibleModel(set.model)) - 0.262067) < 1e-6)
        #expect(
            IntraListSimilarity.exact([3], &cosines) == 0
                && IntraListSimilarity.stored([], in: VisibleModel(set.model)) == 0)
    }

    @Test("Hits count by their rank, and groups that cannot be found count as not found")
    func accuracy() {
        // Ranks 1 and 3 hit, of four held-out groups, one of which no list can have. The gain is 1 + 1/log₂4, the best
        // 1 + 1/log₂3 + 1/log₂4 + 1/log₂5.
        let accuracy = Accuracy(of: [7, 1, 9, 2], length: 20, heldOut: [7, 8, 9], heldOutCount: 4)
        #expect(accuracy.recall == 0.5 && accuracy.precision == 0.1 && accuracy.hitRate == 1)
        #expect(accuracy.reciprocalRank == 1)
        #expect(abs(accuracy.gain - 1.5 / 2.561606) < 1e-6)
        let third = Accuracy(of: [7, 1, 9, 2], length: 3, heldOut: [9], heldOutCount: 1)
        #expect(third.reciprocalRank == 1.0 / 3 && third.gain == 0.5)
        // Groups beyond rank 20 are no hits, and of 30 held-out groups only 20 can be found.
        let long = Accuracy(of: (0..<40).map { $0 }, length: 20, heldOut: (10..<40).map { $0 }, heldOutCount: 30)
        #expect(abs(long.recall - 10.0 / 30) < 1e-12)
        #expect(abs(long.gain - 0.354633) < 1e-6)
    }

    @Test("Lists show groups evenly or unevenly")
    func gini() {
        #expect(EvaluationResult.gini([3, 3, 3, 3]) == 0)
        #expect(EvaluationResult.gini([0, 0, 0, 8]) == 0.75)
        #expect(EvaluationResult.gini([0, 0]) == 0)
    }

    @Test("A difference of lists is measured on the same members")
    func bootstrap() {
        // For each member, the second list finds a tenth more than the first one.
        let values = (0..<400).map { Double($0 % 10) / 10 }
        let bootstrap = Bootstrap([values, values.map { $0 + 0.1 }], samples: 500)
        let difference = bootstrap.difference(of: 1, minus: 0).interval
        #expect(abs(difference.lowerBound - 0.1) < 1e-9 && abs(difference.upperBound - 0.1) < 1e-9)
        let own = bootstrap.interval(of: 0)
        // 1.96 standard errors of the mean are 0.028 on either side.
        #expect(abs(own.upperBound - own.lowerBound - 0.056) < 0.008 && own.contains(0.45))
    }

    @Test("Lists of six buckets: change, kept score, shares and accuracy follow from the lists")
    func rotation() throws {
        let set = try CommunityFiles(random: 11, users: 30, groups: 200).evaluationSet(neighbours: 100)
        let measures = try measures(set)
        var configuration = Self.configuration
        configuration.omitted = [.season, .fatigue, .coldStart]
        let rotating = Planner(model: set.model, configuration: configuration, key: RotationKey(0, 0))
        configuration.omitted.insert(.rotation)
        let still = Planner(model: set.model, configuration: configuration, key: RotationKey(0, 0))
        var (changes, kept, shareErrors, recalls): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for member in set.members {
            func plan(_ planner: Planner, bucket: Int64 = 0) -> Plan {
                planner.plan(
                    PlanRequest(profile: member.profile, atMilliseconds: Self.instant + bucket * 6 * 3_600_000))
            }
            let lists = (0...5).map { plan(rotating, bucket: $0).items.prefix(20) }
            let plain = plan(still)
            func worth(_ items: ArraySlice<PlanItem>) -> Double { items.map(\.score).reduce(0, +) }
            if plain.candidateCount >= 100 {
                for (one, next) in zip(lists, lists.dropFirst()) {
                    changes.append(1 - Double(Set(one.map(\.group)).intersection(next.map(\.group)).count) / 20)
                }
            }
            kept.append(lists.map(worth).reduce(0, +) / 6 / worth(plain.items.prefix(20)))
            if plain.items.count >= 20 {
                let errors = plain.interests.indices.map { interest in
                    let share = Double(plain.items.prefix(20).count { $0.interest == interest }) / 20
                    return abs(share - plain.interests[interest].share)
                }
                shareErrors.append(errors.reduce(0, +) / 2)
            }
            for list in lists where member.heldOutCount > 0 {
                recalls.append(
                    Double(list.count { member.heldOut.contains($0.group) }) / Double(member.heldOutCount))
            }
        }
        func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }
        let rotated = try #require(measures[.rotation])
        #expect(changes.count >= 100 && abs(rotated.changeOfMany - mean(changes)) < 1e-9)
        #expect(mean(kept) < 1 && abs(rotated.kept - mean(kept)) < 1e-9)
        #expect(abs((measures[.diversity]?.shareError ?? 0) - mean(shareErrors)) < 1e-9)
        #expect(mean(recalls) > 0 && abs((rotated.accuracy[20]?.recall ?? 0) - mean(recalls)) < 1e-9)
    }

    @Test(
        "Real memberships: raw and filtered lists have the figures of an independent script",
        .enabled(if: FileManager.default.fileExists(atPath: sharedData), "../shared/data is not here"))
    func realMemberships() throws {
        let files = try CommunityFiles(train: Self.sharedData + "/train.tsv", test: Self.sharedData + "/test.tsv")
        let measures = try measures(files.evaluationSet(neighbours: 100, ending: "7"))
        // Scores that are mathematically equal may differ in floating point, where the script rounds them.
        try expect(
            measures[.raw], storedCut: 0, exactCut: 0, loss: 0, recall: 0.224299, gain: 0.121350, within: 1e-3)
        try expect(
            measures[.filters], storedCut: 0.013565, exactCut: 0.013548, loss: 0.009532, recall: 0.225857,
            gain: 0.122761, within: 1e-3)
    }
}

/// Memberships to learn from and held-out memberships, as files to import.
private struct CommunityFiles {
    private let directory: TemporaryDirectory
    private let train: String
    private let test: String

    init(train: String, test: String) throws {
        directory = try TemporaryDirectory()
        (self.train, self.test) = (train, test)
    }

    /// Reads a community from a file.
    ///
    /// - Parameter path: the path of a file in the format that figures.py describes.
    init(_ path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let halves = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.split(separator: " ") }
            return (
                user: String(halves[0][0]), joined: halves[0].dropFirst().map(String.init),
                heldOut: halves[1].map(String.init)
            )
        }
        try self.init(lines)
    }

    /// Creates members of some thirty groups each, four of them held out.
    init(random seed: UInt64, users: Int, groups: Int) throws {
        var generator = SeededGenerator(seed: seed)
        try self.init(
            (0..<users).map { user in
                // The groups lie around a group of the member's own, so that some groups are closer than others.
                let middle = Int.random(in: 0..<groups, using: &generator)
                let mine = Set(
                    (0..<34).map { _ in
                        let distance =
                            Int.random(in: 0..<60, using: &generator) * Int.random(in: 0..<60, using: &generator)
                        return (middle + distance / 24) % groups
                    }
                ).sorted().map { "g\($0)" }
                return ("u\(user)", Array(mine.dropLast(4)), Array(mine.suffix(4)))
            })
    }

    private init(_ rows: [(user: String, joined: [String], heldOut: [String])]) throws {
        directory = try TemporaryDirectory()
        train = directory.path + "/train.tsv"
        test = directory.path + "/test.tsv"
        func write(_ groups: ((user: String, joined: [String], heldOut: [String])) -> [String], to path: String) throws
        {
            let lines = rows.flatMap { row in groups(row).map { "\($0)\t\(row.user)\n" } }
            try ("group_id\tuser_id\n" + lines.joined()).write(toFile: path, atomically: true, encoding: .utf8)
        }
        try write({ $0.joined }, to: train)
        try write({ $0.heldOut }, to: test)
    }

    private func catalog(_ file: String, _ name: String) throws -> Catalog {
        let catalog = try Catalog(path: "\(directory.path)/\(name).sqlite", mode: .writing)
        let options = ImportOptions(rejectsPath: "\(directory.path)/\(name)-rejects.tsv")
        _ = try Importer(into: catalog, kind: .memberships, options: options).run([file])
        return catalog
    }

    /// Returns the members whose ids have an ending, with a model by plain cosine.
    func evaluationSet(neighbours limit: Int, ending: String = "") throws -> EvaluationSet {
        let training = try catalog(train, "train-catalog")
        let snapshot = try Matrices(of: training.facts, threads: 1)
        let matrix = try snapshot.matrix(.memberships) { _ in }.matrix
        let parameters = SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: limit)
        let groups = try snapshot.groups().map { GroupFacts(id: $0.id, title: "") }
        let encoded = try EncodedModel(
            groups: groups, sizes: [.members: groups.indices.map { UInt32(matrix.size(ofRow: $0)) }],
            tables: [.members: NeighbourSearch(parameters: parameters, threads: 2).run(on: matrix)])
        let model = try ModelVersion(encoded)
        return try EvaluationSet(
            model: model, training: training.facts, heldOut: try catalog(test, "test-catalog").facts,
            planner: Planner(model: model, key: RotationKey(0, 0)), atMilliseconds: EvaluatorTests.instant,
            where: { $0.hasSuffix(ending) })
    }
}
