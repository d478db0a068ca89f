package import Basics
package import Model

/// Made-up model versions: the same for the same seed.
package enum SampleModel {
    /// Groups in ascending order of their ids, some of which are odd: long, or not of ASCII.
    package static func groups(_ count: Int, seed: UInt64 = 1) -> [GroupFacts] {
        var generator = SeededGenerator(seed: seed)
        let odd = [
            String(repeating: "x", count: 255), "Zürich ✈ 東京", "'; DROP", " ", "a\nb",
            String(repeating: "é", count: 127),
        ]
        let ids = (0..<count).map { $0 < odd.count && count > 1 ? odd[$0] : "\(71_917_374 + $0)@N\($0 % 90)" }
        return ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { id in
            GroupFacts(
                id: id, title: id.utf8.count % 7 == 0 ? "" : "Group \(id) 🌄",
                topics: id.utf8.count % 3 == 0 ? [] : ["a", "bé"],
                joinPolicy: JoinPolicy.allCases.randomElement(using: &generator) ?? .open,
                createdAt: Bool.random(using: &generator) ? nil : .random(in: 0...1_700_000_000, using: &generator),
                lastActiveAt: Bool.random(using: &generator) ? nil : -1)
        }
    }

    /// How many entries so many groups have in each relation.
    package static func sizes(_ count: Int, seed: UInt64 = 1) -> [Relation: [UInt32]] {
        var generator = SeededGenerator(seed: seed &+ 7)
        func column() -> [UInt32] { (0..<count).map { _ in .random(in: 0...100_000, using: &generator) } }
        return Dictionary(uniqueKeysWithValues: RelationTable.standard.requiredRelations.map { ($0, column()) })
    }

    /// Lists of up to `limit` neighbours; one group in eight has none.
    ///
    /// Common counts of 3 to 500 and cosines that fall from the best to the last, as real ones do.
    package static func table(groupCount: Int, limit: Int, seed: UInt64, isFull: Bool = false) -> NeighbourTable {
        var generator = SeededGenerator(seed: seed)
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for group in 0..<groupCount {
            let isEmpty = groupCount < 2 || (!isFull && Int.random(in: 0..<8, using: &generator) == 0)
            let most = min(limit, groupCount - 1)
            let count = isEmpty ? 0 : isFull ? most : Int.random(in: 1...most, using: &generator)
            var score = Float.random(in: 0.2...0.6, using: &generator)
            for _ in 0..<count {
                let other = Int.random(in: 0..<(groupCount - 1), using: &generator)
                table.neighbours.append(
                    Neighbour(
                        index: UInt32(other < group ? other : other + 1),
                        common: UInt32(3 + 497 * Double.random(in: 0...1, using: &generator)), score: score))
                // Some scores are equal.
                score *= Float.random(in: 0.95...1, using: &generator)
            }
            table.offsets.append(table.neighbours.count)
        }
        return table
    }

    /// A model of so many groups; relations not asked for are empty.
    package static func model(
        groupCount: Int, limit: Int = 20, relations: [Relation] = RelationTable.standard.requiredRelations,
        seed: UInt64 = 1,
        isFull: Bool = false
    ) throws(Failure) -> EncodedModel {
        var tables: [Relation: NeighbourTable] = [:]
        for (number, relation) in relations.enumerated() {
            tables[relation] = table(
                groupCount: groupCount, limit: limit, seed: seed &+ UInt64(number) &* 1000, isFull: isFull)
        }
        return try EncodedModel(
            groups: groups(groupCount, seed: seed), sizes: sizes(groupCount, seed: seed), tables: tables,
            signals: signals(groupCount: groupCount, seed: seed))
    }

    /// Something of every signal, for one group in three or so.
    package static func signals(groupCount: Int, seed: UInt64) -> GroupSignals {
        var generator = SeededGenerator(seed: seed &+ 99)
        let some = (0..<UInt32(groupCount)).filter { _ in Int.random(in: 0..<3, using: &generator) == 0 }
        func postings() -> [Posting] {
            some.map { Posting(group: $0, weight: Float(Int.random(in: 1...8, using: &generator)) / 8) }
                .sorted { $0.weight != $1.weight ? $0.weight > $1.weight : $0.group < $1.group }
        }
        var signals = GroupSignals()
        guard !some.isEmpty else { return signals }
        signals.trending = some.enumerated().map { number, group in
            TrendingGroup(
                group: group, score: 9 / Float(number + 1), joiners: 7, posters: UInt32(number), usualWeek: 0.25)
        }
        signals.seasons = (0..<groupCount).map { _ in
            SeasonalFactors(percent: (0..<12).map { _ in .random(in: 50...200, using: &generator) })
        }
        for tag in ["a", "bé", "東京", "macro"] { signals.tags[tag] = postings() }
        for (latitude, longitude) in [(47.35, 8.55), (-90, 180), (0, -0.05)] {
            guard let cell = PlaceCell(latitude: latitude, longitude: longitude) else { continue }
            signals.places[cell] = postings()
        }
        signals.curated = some.enumerated().map { number, group in
            CuratedGroup(
                group: group, position: UInt32(number / 2), startsAt: number.isMultiple(of: 2) ? 5 : nil,
                expiresAt: number.isMultiple(of: 3) ? nil : 1_795_000_000)
        }
        return signals
    }

    /// The manifest of the `number`th sample version, 0 to 9999; later numbers are later versions.
    package static func manifest(_ number: Int, groupCount: Int) throws(Failure) -> Manifest {
        let digits = String(number)
        return Manifest(
            version: try VersionName("20261121T11\(String(repeating: "0", count: 4 - digits.count))\(digits)-0a1b"),
            createdAtMilliseconds: 1_795_000_000_000 + Int64(number) * 1000,
            catalog: .init(schemaVersion: 1, changeCount: Int64(number)),
            groups: .init(included: groupCount, leftOutPrivate: 0), relations: [],
            steps: [.init(name: "read", seconds: 0.25, peakBytes: 1 << 20)], sections: [])
    }
}

extension Relation {
    /// Groups by the photos in their pools.
    package static let photos = RelationDescription.photos.relation
    /// Groups by their members.
    package static let members = RelationDescription.members.relation
}

extension EncodedModel {
    /// The whole file in memory; stores write it piece by piece instead.
    package var fileBytes: [UInt8] {
        let region = ByteRegion(gathering: self)
        return unsafe region.withBytes(0..<region.count) { unsafe Array($0) }
    }
}
