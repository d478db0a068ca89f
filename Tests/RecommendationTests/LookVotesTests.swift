import Model
import Recommendation
import Testing

/// Groups 0 and 1 have 80 and 20 of 100 photos with vectors; photo 99 is in group 2, too.
@Suite("Votes of photos that look alike")
struct LookVotesTests {
    private let recommender: PhotoRecommender

    init() throws {
        let groups = (0..<3).map { GroupFacts(id: "g\($0)") }
        let pools: [[UInt32]] = (0..<100).map { $0 < 80 ? [0] : $0 == 99 ? [1, 2] : [1] }
        let looks = try LookSections(ids: (100..<200).map { "p\($0)" }, groups: pools, index: [])
        let model = try ModelVersion(EncodedModel(groups: groups, tables: [:], looks: looks))
        #expect(model.looks?.photoCounts(groupCount: 3) == [80, 20, 1])
        #expect(model.looks?.row(ofID: "p199") == 99 && model.looks?.groups(of: 99) == [1, 2])
        let visible = VisibleModel(model)
        recommender = PhotoRecommender(model: visible, popular: PopularPools(visible), at: 0)
    }

    private func list(_ lookalikes: [(id: String, similarity: Double, groups: [UInt32])], by basis: PhotoBasis = .look)
        -> [PhotoSuggestion]
    {
        var photo = PhotoContext()
        photo.lookalikes = lookalikes.map { photo in
            var lookalike = Lookalike(id: photo.id, similarity: photo.similarity, groups: photo.groups)
            // Photos whose ids begin with the same letter have one look.
            lookalike.look = photo.id.utf8.first.map(Int.init)
            return lookalike
        }
        return recommender.suggestions(for: photo, limit: 10, by: basis)
    }

    @Test("A group's votes are set against its size: as many votes mean more for the smaller group")
    func size() throws {
        let found = list([("a", 0.9, [0]), ("b", 0.9, [1]), ("c", 0.5, [0])])
        #expect(found.map(\.group) == [1, 0])
        // v a / (e + a) with v = 1/2.
        #expect(abs(found[0].score - 0.5 * 0.02 / 0.22) < 1e-12)
        #expect(abs(found[1].score - 0.5 * 0.02 / 0.82) < 1e-12)
        #expect(found[0].reasons.map(\.evidence) == [.looksLike(photos: ["b"])])
    }

    @Test("Photos of one look count once, in the groups of all, and leave the places to others")
    func duplicates() {
        let once = list([("a", 0.999, [0]), ("x", 0.8, [1]), ("last", 0.2, [1])])
        let more: [(id: String, similarity: Double, groups: [UInt32])] = (0..<400).map { ("a\($0)", 0.999, [0]) }
        let copies: [(id: String, similarity: Double, groups: [UInt32])] = (0..<400).map { ("x\($0)", 0.8, [1]) }
        let thrice = list([("a", 0.999, [0])] + more + copies + [("last", 0.2, [1])])
        #expect(once.map(\.group) == thrice.map(\.group))
        for (one, other) in zip(once, thrice) { #expect(abs(one.score - other.score) < 1e-12) }
    }

    @Test("A photo that points the other way does not vote, and changes no other vote")
    func opposite() {
        let alike: [(id: String, similarity: Double, groups: [UInt32])] = [("a", 0.9, [0]), ("b", 0.5, [1])]
        let found = list(alike + [("c", 0, [1]), ("d", -0.5, [1])])
        #expect(found == list(alike) && found.map(\.group) == [0])
        #expect(list([("a", -0.1, [0]), ("b", -0.5, [1])]).isEmpty)
    }

    @Test("A group of the photo is left out, and without lookalikes there is nothing")
    func bounds() {
        #expect(list([]).isEmpty)
        var photo = PhotoContext(groups: [1])
        photo.lookalikes = [Lookalike(id: "a", similarity: 0.9, groups: [1, 2])]
        #expect(recommender.suggestions(for: photo, limit: 10, by: .look).map(\.group) == [2])
        #expect(recommender.suggestions(for: photo, limit: 10, by: .pools).isEmpty)
    }
}
