import Model
import Recommendation

/// A synthetic model: groups on a ring, whose neighbours are at most a few hundred positions away.
struct RingModel {
    /// Where lists are cut.
    enum Cut: String, CaseIterable {
        /// All lists have as many neighbours.
        case source
        /// Every group is in as many lists; those of frequent groups are long, and members are mostly in these.
        case target
    }

    let groups: Int
    let neighbours: Int
    var cut = Cut.source

    /// With lists that are cut at the target, one group of so many is frequent.
    private static let frequency = 32

    /// Numbers that look random and are the same in every run (SplitMix64; Steele, Lea, Flood 2014).
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    /// The model as an open version.
    func version() throws -> ModelVersion { try ModelVersion(encoded()) }

    /// The model, with lists of `neighbours` groups in every relation.
    func encoded() throws -> EncodedModel {
        let facts = (0..<groups).map { group in
            let digits = String(group)
            let id = "group-" + String(repeating: "0", count: 8 - digits.count) + digits
            return GroupFacts(id: id, title: "Group \(group) of the ring")
        }
        var sizes: [Relation: [UInt32]] = [:]
        var tables: [Relation: NeighbourTable] = [:]
        for (number, relation) in RelationTable.standard.relations.enumerated() {
            var generator = Generator(state: UInt64(number))
            tables[relation] = cut == .source ? table(&generator) : targetTable(&generator)
            sizes[relation] = [UInt32](repeating: 400, count: groups)
        }
        return try EncodedModel(groups: facts, sizes: sizes, tables: tables)
    }

    private func table(_ generator: inout Generator) -> NeighbourTable {
        var table = NeighbourTable(offsets: [0], neighbours: [])
        table.neighbours.reserveCapacity(groups * neighbours)
        for group in 0..<groups {
            var offsets: Set<Int> = []
            while offsets.count < neighbours {
                let distance = Int.random(in: 1...(neighbours * 3), using: &generator)
                offsets.insert(Bool.random(using: &generator) ? distance : -distance)
            }
            // The nearer on the ring, the more similar; lists begin with the best.
            for offset in offsets.sorted(by: { (abs($0), $0) < (abs($1), $1) }) {
                let common = UInt32(max(3, 200 - abs(offset) * 60 / neighbours))
                table.neighbours.append(
                    Neighbour(
                        index: UInt32((group + offset + groups) % groups), common: common, score: Float(common) / 400))
            }
            table.offsets.append(table.neighbours.count)
        }
        return table
    }

    /// Lists of sources: every group is in those of `neighbours` groups, half of which are frequent.
    private func targetTable(_ generator: inout Generator) -> NeighbourTable {
        var lists = [[Neighbour]](repeating: [], count: groups)
        for group in 0..<groups {
            var sources: Set<Int> = []
            while sources.count < neighbours {
                let isFrequent = sources.count.isMultiple(of: 2)
                let reach = min(groups / 2 - Self.frequency, neighbours * (isFrequent ? 24 : 3))
                let near = group + Int.random(in: -reach...reach, using: &generator)
                let source = isFrequent ? near - near % Self.frequency : near
                if source != group { sources.insert(source) }
            }
            for source in sources.sorted() {
                let common = UInt32(max(3, 200 - abs(source - group) * 8 / neighbours))
                lists[(source + groups) % groups].append(
                    Neighbour(index: UInt32(group), common: common, score: Float(common) / 400))
            }
        }
        var table = NeighbourTable(offsets: [0], neighbours: [])
        for list in lists {
            table.neighbours += list.sorted { ($1.common, $0.index) < ($0.common, $1.index) }
            table.offsets.append(table.neighbours.count)
        }
        return table
    }

    /// A member with four interests, each of groups that are close together on the ring.
    func profile(_ member: Int, _ joined: Int, _ generator: inout Generator) -> MemberProfile {
        let centers = (0..<4).map { _ in Int.random(in: 0..<groups, using: &generator) }
        var chosen: Set<UInt32> = []
        while chosen.count < joined {
            let center = centers[Int.random(in: 0..<4, using: &generator)]
            let near = center + Int.random(in: 0..<(cut == .source ? 200 : 2000), using: &generator)
            let isFrequent = cut == .target && !chosen.count.isMultiple(of: 4)
            chosen.insert(UInt32((isFrequent ? near - near % Self.frequency : near) % groups))
        }
        return MemberProfile(userID: "member-\(member)", joined: chosen.map { .init(group: $0) })
    }
}
