@testable import Evaluation
import Foundation
import Model
import Similarity
import TestSupport
import Testing

@Suite("Measuring settings")
struct TuningScorerTests {
    private static let members = Relation(rawValue: "members")
    private static let photos = Relation(rawValue: "photos")

    private static let parts: [TunedSettings.Part] = [
        .init(limit: 25), .init(formula: ModifiedCosine(listPower: 1), limit: 50),
        .init(
            formula: ModifiedCosine(
                degreeDiscount: 1, sourceExponent: 0.7, neighbourExponent: 0.1, shrinkage: 2, scorePower: 1.5,
                cut: .target, listPower: 0.3), limit: 25),
        .init(
            formula: ModifiedCosine(
                degreeDiscount: 0.5, shrinkage: 1, cut: .target, listPower: 0.5), limit: 25),
        .init(
            formula: ModifiedCosine(
                degreeDiscount: 0.5, sourceExponent: 0.7, shrinkage: 1, cut: .target, listPower: 0.5), limit: 200),
        .init(formula: ModifiedCosine(degreeDiscount: 0.5, cut: .target, limitExponent: 0.5), limit: 50),
        .init(
            formula: ModifiedCosine(
                shrinkage: 1, cut: .target, listPower: 0.5, limitExponent: 0.25), limit: 25),
    ]

    /// Returns a community in which every member with two groups or more misses one or two of them.
    private func community(seed: UInt64, folds: Int) throws -> (TuningCommunity, BinaryMatrix) {
        let matrix = try BinaryMatrix.random(rowCount: 130, columnCount: 300, density: 0.06, seed: seed)
        let pools = try BinaryMatrix.random(rowCount: 130, columnCount: 200, density: 0.05, seed: seed + 1)
        let byUser = try matrix.transposed()
        let users = (0..<byUser.rowCount).filter { byUser.size(ofRow: $0) >= 3 }
        let held = (0..<folds).map { fold in
            users.map { user in
                let groups = Array(byUser.row(user))
                return TuningCommunity.Member(
                    column: UInt32(user), heldOut: [groups[fold % groups.count], groups[(fold + 1) % groups.count]])
            }
        }
        let community = try TuningCommunity(
            membership: Self.members, matrix, others: [Self.photos: pools], choosing: held, judging: [], pairLimit: 1e9)
        return (community, pools)
    }

    @Test("Recall and NDCG are those of sums over the lists of a recompute", arguments: 0..<7 as Range<Int>, [1, 2])
    func recall(number: Int, threads: Int) throws {
        let (community, pools) = try community(seed: UInt64(number) * 7 + 1, folds: threads)
        var photos = Self.parts[(number + 1) % 7]
        photos.weight = 0.5
        let settings = TunedSettings([Self.members: Self.parts[number], Self.photos: photos])
        let numbers = Array(0..<community.memberCounts.choosing)
        let found = TuningScorer(community, community.choosing, threads: threads).accuracies(settings, of: numbers)
        var expected = numbers.map { _ in Accuracy() }
        for fold in community.choosing {
            let tables = [
                (table(Self.parts[number], fold.memberships), 1.0), (table(photos, pools), photos.weight),
            ]
            for (index, member) in fold.members.enumerated() {
                var sums = [Double](repeating: 0, count: pools.rowCount)
                for (table, weight) in tables {
                    for group in member.joined {
                        for neighbour in table.list(of: Int(group)) {
                            sums[Int(neighbour.index)] += weight * Double(neighbour.score) / table.meanBestScore
                        }
                    }
                }
                for group in member.joined { sums[Int(group)] = 0 }
                let best = sums.indices.filter { sums[$0] > 0 }
                    .sorted { (sums[$0], $1) > (sums[$1], $0) }.prefix(20)
                let ranks = best.enumerated().filter { member.heldOut.contains(UInt32($0.element)) }.map(\.offset)
                // Two groups are left out for each member.
                let gain = ranks.reduce(0) { $0 + 1 / log2(Double($1 + 2)) } / (1 + 1 / log2(3))
                var accuracy = Accuracy()
                (accuracy.recall, accuracy.gain) = (Double(ranks.count) / Double(member.heldOut.count), gain)
                expected[index].add(accuracy, weight: 1 / Double(community.choosing.count))
            }
        }
        #expect(found.count == expected.count && !found.isEmpty)
        // Scores and sums that differ only by rounding may change places.
        let different = zip(found, expected).count {
            abs($0.recall - $1.recall) > 1e-9 || abs($0.gain - $1.gain) > 1e-9
        }
        #expect(different <= numbers.count / 20, "\(different) of \(numbers.count)")
        let (mine, theirs) = (found.reduce(0) { $0 + $1.value }, expected.reduce(0) { $0 + $1.value })
        let tolerance = 0.005 * Double(numbers.count)
        #expect(abs(mine - theirs) < tolerance)
    }

    private func table(_ part: TunedSettings.Part, _ matrix: BinaryMatrix) -> NeighbourTable {
        let parameters = SimilarityParameters(
            minimumEntries: 1, minimumCommon: 1, limit: part.limit, measure: .modified(part.formula))
        return NeighbourSearch(parameters: parameters, threads: 1).run(on: matrix)
    }

    @Test("Where a matrix is thinned out, members with groups left out stay")
    func thinned() throws {
        let matrix = try BinaryMatrix.random(rowCount: 60, columnCount: 400, density: 0.1, seed: 3)
        let pairs = matrix.columnDegrees().reduce(0.0) { $0 + Double($1) * Double($1) }
        let degrees = matrix.columnDegrees()
        let user = try #require(degrees.indices.first { degrees[$0] > 3 && $0 % 4 == 1 })
        let groups = Array(try matrix.transposed().row(user))
        let community = try TuningCommunity(
            membership: Self.members, matrix, others: [:],
            choosing: [[.init(column: UInt32(user), heldOut: [groups[0]])]], judging: [], pairLimit: pairs / 3.5)
        let left = community.choosing[0].memberships.columnDegrees()
        #expect(community.choosing[0].members[0].joined == Array(groups.dropFirst()))
        #expect(Int(left[user]) == groups.count - 1)
        for column in left.indices where column != user {
            #expect(left[column] == (column.isMultiple(of: 4) ? degrees[column] : 0))
        }
    }
}
