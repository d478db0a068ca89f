import Model
import Recommendation
import TestSupport
import Testing

/// A model of groups 0 to 6; 4 is by invitation only, and 6 has been inactive for two years.
///
/// Neighbours by photos: 0 → 1, 4; 1 → 2, 0; 2 → 3, 6. By members: 0 → 2. All have cosine ½: 3 of 6 entries in common.
@Suite("Groups for a photo")
struct PhotoTests {
    private let model: ModelVersion
    private let recommender: PhotoRecommender
    private let zurich = PlaceCell(latitude: 47.37, longitude: 8.54)
    private static let now: Int64 = 1_800_000_000

    init() throws {
        let groups = (0..<7).map { index in
            GroupFacts(
                id: "g\(index)", joinPolicy: index == 4 ? .invite : index == 5 ? .approval : .open,
                lastActiveAt: index == 6 ? Self.now - 2 * 365 * 86_400 : index == 0 ? nil : Self.now - 365 * 86_400)
        }
        func table(_ lists: [[(UInt32, Float)]]) -> NeighbourTable {
            var table = NeighbourTable(offsets: [0], neighbours: [])
            for list in lists {
                table.neighbours += list.map { Neighbour(index: $0.0, common: 3, score: $0.1) }
                table.offsets.append(table.neighbours.count)
            }
            return table
        }
        let photos = table([[(1, 0.5), (4, 0.5)], [(2, 0.5), (0, 0.25)], [(3, 0.5), (6, 0.5)], [], [], [], []])
        let members = table([[(2, 0.25)], [], [], [], [], [], []])
        var signals = GroupSignals()
        signals.tags = [
            "macro": [Posting(group: 3, weight: 0.75), Posting(group: 6, weight: 0.5)],
            "bee": [Posting(group: 3, weight: 0.5), Posting(group: 5, weight: 0.5), Posting(group: 4, weight: 0.25)],
        ]
        if let cell = zurich, let beside = cell.neighbours.first {
            signals.places[cell] = [Posting(group: 5, weight: 0.5)]
            signals.places[beside] = [Posting(group: 5, weight: 0.75), Posting(group: 2, weight: 0.5)]
        }
        let sizes = [UInt32](repeating: 6, count: groups.count)
        let encoded = try EncodedModel(
            groups: groups, sizes: [.photos: sizes, .members: sizes], tables: [.photos: photos, .members: members],
            signals: signals)
        model = try ModelVersion(ByteRegion(copying: encoded.fileBytes))
        recommender = Self.recommender(VisibleModel(model), popularity: 0)
    }

    private static func recommender(_ model: VisibleModel, popularity: Double) -> PhotoRecommender {
        var weights = PhotoWeights()
        weights.sharedPools = 2
        weights.popularity = popularity
        return PhotoRecommender(model: model, popular: PopularPools(model), weights: weights, at: now)
    }

    private func list(_ photo: PhotoContext, limit: Int = 10) -> [PhotoSuggestion] {
        let list = recommender.suggestions(for: photo, limit: limit)
        for suggestion in list {
            #expect(suggestion.score > 0 && !suggestion.reasons.isEmpty)
            #expect(abs(suggestion.reasons.reduce(0) { $0 + $1.contribution } - suggestion.score) < 1e-12)
            let contributions = suggestion.reasons.map(\.contribution)
            #expect(contributions == contributions.sorted(by: >))
        }
        #expect(list.map(\.score) == list.map(\.score).sorted(by: >))
        return list
    }

    @Test(
        "a hidden group is not suggested, nor a reason, whatever is known of the photo",
        arguments: 0..<4 as Range<UInt32>)
    func hiddenGroups(hidden: UInt32) {
        let photo = PhotoContext(
            groups: [1], companions: [0: .init(photos: 1, share: 1), 3: .init(photos: 2, share: 0.5)], tags: ["macro"])
        let all = list(photo)
        let decisions = SiteDecisions(hidden: [hidden], curated: nil)
        let shown = Self.recommender(VisibleModel(model, decisions), popularity: 0).suggestions(for: photo, limit: 100)
        #expect(shown.allSatisfy { $0.group != hidden })
        #expect(Set(shown.map(\.group)).isSubset(of: all.map(\.group)) && !all.isEmpty)
        for reason in shown.flatMap(\.reasons) {
            if case .similarGroup(let group, _, _) = reason.evidence { #expect(group != hidden) }
        }
    }

    private func scores(_ photo: PhotoContext) -> [UInt32: Double] {
        Dictionary(uniqueKeysWithValues: list(photo).map { ($0.group, $0.score) })
    }

    @Test("a photo in pools is suggested to neighbours of its groups, which all have the same weight")
    func neighbours() {
        #expect(scores(.init(groups: [0])) == [1: 0.5, 2: 0.5])
        #expect(scores(.init(groups: [0, 1])) == [2: 0.5])
        #expect(scores(.init(groups: [3])) == [:])
        let reasons = list(.init(groups: [0, 1]))[0].reasons
        #expect(
            reasons.map(\.evidence) == [
                .similarGroup(0, by: .members, common: 3), .similarGroup(1, by: .photos, common: 3),
            ])
    }

    @Test("groups of photos that share its pools are suggested, by their share")
    func companions() {
        let photo = PhotoContext(
            groups: [0], companions: [0: .init(photos: 9, share: 1), 5: .init(photos: 3, share: 0.5)])
        #expect(scores(photo) == [5: 1, 1: 0.5, 2: 0.5])
        #expect(list(photo)[0].reasons.map(\.evidence) == [.sharedPools(photos: 3)])
    }

    @Test("tags count for a photo in no pool, in upper or lower case, by the cosine, and not for one in pools")
    func tags() {
        #expect(scores(.init(groups: [5], tags: ["macro"])) == [:])
        #expect(scores(.init(tags: ["Macro"])) == [3: 1.5])
        // No group has the tag "unheard", so two tags count.
        let list = list(.init(tags: ["bee", "MACRO", "unheard", "bee"]))
        #expect(list.map(\.group) == [3, 5])
        #expect(abs(list[0].score - 2 * 1.25 / 2.0.squareRoot()) < 1e-12)
        #expect(list[0].reasons.map(\.evidence) == [.tags(["macro", "bee"])])
    }

    @Test("groups of the photo's location count in full, groups of adjacent cells by half")
    func places() throws {
        let cell = try #require(zurich)
        let list = list(.init(place: cell))
        #expect(list.map(\.group) == [5, 2] && list.map(\.score) == [0.5, 0.25])
        #expect(list[0].reasons.map(\.evidence) == [.place(cell)])
        #expect(list[1].reasons.map(\.evidence) == [.place(cell.neighbours[0])])
        #expect(scores(.init(place: PlaceCell(latitude: 0, longitude: 0))) == [:])
    }

    @Test(
        "a photo in no pool is suggested to groups with its owner's photos, and to those that the owner is a member of")
    func owner() {
        // The owner's share is five of ten, since five photos elsewhere are assumed. Group 3 has no neighbours.
        let list = list(.init(ownerGroups: [3: 5], ownerMemberships: [3, 5]))
        #expect(list.map(\.group) == [3, 5] && list.map(\.score) == [0.75, 0.25])
        #expect(
            list.map { $0.reasons.map(\.evidence) } == [
                [.owner(photos: 5, isMember: true)], [.owner(photos: 0, isMember: true)],
            ])
        #expect(scores(.init(ownerGroups: [0: 5]))[1] == 0.25)
    }

    @Test("if the owner has no photos elsewhere, the groups that the owner is a member of lead further")
    func memberships() {
        // Each group has one of seven, since five photos elsewhere are assumed; its neighbours get 1/7 of their cosine.
        let found = scores(.init(ownerMemberships: [0, 1]))
        #expect(found[0] == 0.25 + 0.5 / 7 && found[2] == 1.0 / 7)
    }

    @Test("popular groups fill up, without moving what there is evidence for, and nothing is empty where one is open")
    func popular() {
        let usual = Self.recommender(VisibleModel(model), popularity: 0.001)
        // Group 4 is by invitation only, and 6 is inactive. Groups of one size stand in the order of their indexes.
        #expect(usual.suggestions(for: .init(), limit: 10).map(\.group) == [0, 1, 2, 3, 5])
        #expect(usual.suggestions(for: .init(groups: [2]), limit: 3).map(\.group) == [3, 0, 1])
        let reasons = usual.suggestions(for: .init(groups: [2]), limit: 2).map { $0.reasons.map(\.evidence) }
        #expect(
            reasons == [[.similarGroup(2, by: .photos, common: 3), .popular(count: 6)], [.popular(count: 6)]])
    }

    @Test("a group by invitation is suggested only if the owner is there")
    func invitation() {
        #expect(scores(.init(groups: [0], ownerGroups: [4: 1]))[4] == 0.5)
        #expect(scores(.init(groups: [0], ownerMemberships: [4]))[4] == 0.5)
        #expect(scores(.init(groups: [0], ownerGroups: [5: 9]))[4] == nil)
        #expect(scores(.init(tags: ["bee"]))[4] == nil)
    }

    @Test("a group without activity for a year is not suggested; one whose activity is unknown is")
    func idle() {
        #expect(scores(.init(groups: [2])) == [3: 0.5])
        #expect(scores(.init(tags: ["macro"]))[6] == nil)
        #expect(scores(.init(groups: [1]))[0] == 0.5)
    }

    @Test("a photo is not suggested to its own groups, and without evidence it has no suggestions")
    func never() {
        #expect(scores(.init(groups: [0, 1, 2], companions: [1: .init(photos: 2, share: 1)])) == [3: 1.0 / 6])
        #expect(list(.init()).isEmpty)
        #expect(list(.init(tags: ["bee", "macro"]), limit: 1).map(\.group) == [3])
        #expect(list(.init(tags: ["bee"]), limit: 0).isEmpty)
    }
}
