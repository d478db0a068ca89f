import CatalogStore
import Foundation
import Model
import Recommendation
import Similarity
import TestSupport
import Testing

@testable import Evaluation

/// The figures that stand here were printed by Reference/figures.py, which shares nothing with the program.
@Suite("Figures of lists")
struct ListExperimentTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let sharedData = folder.path + "/../../../shared/data/mafengwo"

    /// Sums over the members whose ids have an ending.
    private func sums(_ set: EvaluationSet, _ model: ModelVersion, ending: String = "") -> ListSums {
        let experiment = ListExperiment(set, model: model, configuration: PlanConfiguration(), key: RotationKey(0, 0))
        // In two parts, as several threads would do it.
        var parts = [ListSums(), ListSums()]
        for (index, member) in set.members.enumerated() where member.id.hasSuffix(ending) {
            experiment.measure(members: index..<index + 1, into: &parts[index % 2])
        }
        parts[0].merge(parts[1])
        return parts[0]
    }

    private func plainCosine(limit: Int) -> SimilarityParameters {
        SimilarityParameters(minimumEntries: 1, minimumCommon: 1, limit: limit, measure: .cosine)
    }

    /// Expects the six figures of one line of the script's.
    private func expect(
        _ measures: ListMeasures, storedCut: Double, exactCut: Double, loss: Double, recall: Double, gain: Double,
        within tolerance: Double, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for (name, found, expected) in [
            ("stored cut", measures.storedCut, storedCut), ("exact cut", measures.exactCut, exactCut),
            ("loss", measures.loss, loss), ("recall@20", measures.recall ?? -1, recall),
            ("NDCG@20", measures.gain ?? -1, gain),
        ] {
            #expect(abs(found - expected) <= tolerance, "\(name): \(found)", sourceLocation: sourceLocation)
        }
    }

    @Test("In a small community, raw and filtered lists have the figures of an independent script")
    func community() throws {
        let files = try CommunityFiles(Self.folder.path + "/Reference/community.txt")
        let set = try files.evaluationSet()
        #expect(set.members.count == 30)
        let sums = sums(set, try set.model(plainCosine(limit: 8), threads: 2))
        expect(
            sums.measures(of: .raw), storedCut: 0, exactCut: 0, loss: 0, recall: 0.713333, gain: 0.413644, within: 1e-6)
        expect(
            sums.measures(of: .filtered), storedCut: 0.007901, exactCut: 0.007040, loss: 0.011855, recall: 0.703333,
            gain: 0.400895, within: 1e-6)
        #expect(sums.rotation.members == 0)
    }

    @Test("In the same community, the similarity within lists has the figures of the script")
    func intraListSimilarity() throws {
        let set = try CommunityFiles(Self.folder.path + "/Reference/community.txt").evaluationSet()
        let model = try set.model(plainCosine(limit: 8), threads: 1)
        let list = set.groups.indices.filter { set.groups[$0].id.hasPrefix("birds-") }.map(UInt32.init)
        #expect(abs(IntraListSimilarity.exact(list, set.matrix) - 0.303200) < 1e-6)
        #expect(abs(IntraListSimilarity.stored(list, in: VisibleModel(model)) - 0.262067) < 1e-6)
        #expect(
            IntraListSimilarity.exact([3], set.matrix) == 0
                && IntraListSimilarity.stored([], in: VisibleModel(model)) == 0)
    }

    @Test("A hit counts by its rank, and a held-out group that no list can have counts as missed")
    func accuracy() {
        // Ranks 1 and 3 of four groups held out, one of which no list can have: 1 + 1/log₂4 of 1 + 1/log₂3 + 1/log₂4 +
        // 1/log₂5.
        let accuracy = Accuracy(of: [7, 1, 9, 2], heldOut: [7, 8, 9], heldOutCount: 4)
        #expect(accuracy.recall == 0.5)
        #expect(abs(accuracy.gain - 1.5 / 2.561606) < 1e-6)
        // What stands beyond rank 20 is no hit, and of 30 groups held out only 20 can be.
        let long = Accuracy(of: (0..<40).map { $0 }, heldOut: (10..<40).map { $0 }, heldOutCount: 30)
        #expect(abs(long.recall - 10.0 / 30) < 1e-12)
        #expect(abs(long.gain - 0.354633) < 1e-6)
    }

    @Test("Change, kept score, shares and accuracy of six buckets follow from their lists")
    func rotation() throws {
        let set = try CommunityFiles(random: 11, users: 30, groups: 200).evaluationSet()
        let model = try set.model(plainCosine(limit: 100), threads: 2)
        let sums = sums(set, model)
        var configuration = PlanConfiguration()
        configuration.omitted = [.season, .fatigue, .coldStart]
        let rotating = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        configuration.omitted.insert(.rotation)
        let still = Planner(model: model, configuration: configuration, key: RotationKey(0, 0))
        var (changes, kept, shareErrors, recalls): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
        for member in set.members {
            let profile = MemberProfile(userID: member.id, joined: member.joined.map { .init(group: $0) })
            func plan(_ planner: Planner, bucket: Int64 = 0) -> Plan {
                planner.plan(
                    PlanRequest(
                        profile: profile, atMilliseconds: ListExperiment.instant + bucket * 6 * 3_600_000))
            }
            let lists = (0...5).map { plan(rotating, bucket: $0).items.prefix(20) }
            let plain = plan(still)
            func worth(_ items: ArraySlice<PlanItem>) -> Double { items.map(\.score).reduce(0, +) }
            if plain.candidateCount >= 100 {
                for (one, next) in zip(lists, lists.dropFirst()) {
                    changes.append(1 - Double(Set(one.map(\.group)).intersection(next.map(\.group)).count) / 20)
                }
                kept.append(worth(lists[0]) / worth(plain.items.prefix(20)))
            }
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
        #expect(kept.count >= 20 && sums.rotation.members == kept.count)
        #expect(mean(changes) > 0.05 && abs(sums.rotation.change - mean(changes)) < 1e-9)
        #expect(mean(kept) < 1 && abs(sums.rotation.kept - mean(kept)) < 1e-9)
        #expect(abs(sums.measures(of: .diverse).shareError - mean(shareErrors)) < 1e-9)
        #expect(mean(recalls) > 0 && abs((sums.measures(of: .rotated).recall ?? 0) - mean(recalls)) < 1e-9)
    }

    @Test(
        "Real memberships: raw and filtered lists have the figures of an independent script",
        .enabled(if: FileManager.default.fileExists(atPath: sharedData), "../shared/data is not here"))
    func realMemberships() throws {
        let set = try CommunityFiles(train: Self.sharedData + "/train.tsv", test: Self.sharedData + "/test.tsv")
            .evaluationSet()
        #expect(set.members.count == 1269)
        let sums = sums(set, try set.model(plainCosine(limit: 100), threads: 2), ending: "7")
        // Scores that are mathematically equal are not always so in floating point, where the script rounds them.
        expect(
            sums.measures(of: .raw), storedCut: 0, exactCut: 0, loss: 0, recall: 0.224299, gain: 0.121350, within: 1e-3)
        expect(
            sums.measures(of: .filtered), storedCut: 0.013565, exactCut: 0.013548, loss: 0.009532, recall: 0.225857,
            gain: 0.122761, within: 1e-3)
    }
}

/// Memberships to learn from and memberships held out, as files to import.
private struct CommunityFiles {
    private let directory: TemporaryDirectory
    private let train: String
    private let test: String

    init(train: String, test: String) throws {
        directory = try TemporaryDirectory()
        (self.train, self.test) = (train, test)
    }

    /// - Parameter path: a file of the form that figures.py describes.
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

    /// Members of some thirty groups each, of which four are held out.
    init(random seed: UInt64, users: Int, groups: Int) throws {
        var generator = SeededGenerator(seed: seed)
        try self.init(
            (0..<users).map { user in
                // Around a group of one's own, so that some groups are closer than others.
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

    func evaluationSet() throws -> EvaluationSet {
        func catalog(_ file: String, _ name: String) throws -> Catalog {
            let catalog = try Catalog(path: "\(directory.path)/\(name).sqlite", mode: .writing)
            let options = ImportOptions(rejectsPath: "\(directory.path)/\(name)-rejects.tsv")
            _ = try Importer(into: catalog, kind: .memberships, options: options).run([file])
            return catalog
        }
        return try EvaluationSet(
            training: try catalog(train, "train-catalog"), heldOut: try catalog(test, "test-catalog"))
    }
}
