import Model
import Recommendation

/// A synthetic model: groups on a ring, whose neighbours are at most a few hundred positions away.
struct RingModel {
    let groups: Int
    let neighbours: Int

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
            tables[relation] = table(&generator)
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

    /// A member with four interests, each of groups that are close together on the ring.
    static func profile(_ member: Int, _ joined: Int, groups: Int, _ generator: inout Generator) -> MemberProfile {
        let centers = (0..<4).map { _ in Int.random(in: 0..<groups, using: &generator) }
        var chosen: Set<UInt32> = []
        while chosen.count < joined {
            let center = centers[Int.random(in: 0..<4, using: &generator)]
            chosen.insert(UInt32((center + Int.random(in: 0..<200, using: &generator)) % groups))
        }
        return MemberProfile(userID: "member-\(member)", joined: chosen.map { .init(group: $0) })
    }
}
