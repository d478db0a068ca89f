import Basics
import CommandLine
import Experiments
import Model
import Recommendation

/// The benchmark `coterie-bench plan`: the time of each stage of a member's list.
enum PlanBenchmark: Benchmark {
    static let command = Command(
        "plan", summary: "Time a member's list, stage by stage, on one core",
        discussion: """
            The model is synthetic: groups on a ring, where near groups are similar. Members have a few interests \
            each, and every list is for another member. The digest covers all lists: equal digests mean equal lists. \
            A recompute cuts lists at the target: those of frequent groups are then long. Three quarters of the \
            groups that members are in are frequent.
            """,
        options: [
            Option("groups", "N", help: "The groups of the model", default: "100000"),
            Option("neighbours", "K", help: "The neighbours of a group in each of two relations", default: "100"),
            Option(
                "cut", "WHERE", help: "Where lists are cut", default: RingModel.Cut.source.rawValue,
                allowed: RingModel.Cut.allCases.map(\.rawValue)),
            Option("joined", "N", help: "The groups of a member", default: "50"),
            Option("members", "N", help: "The number of members", default: "2000"),
        ])

    static func run(_ parsed: ParsedCommand) throws {
        let groups = try parsed.integer("groups", in: 1000...10_000_000)
        let ring = RingModel(
            groups: groups, neighbours: try parsed.integer("neighbours", in: 1...500),
            cut: parsed.choice("cut", of: RingModel.Cut.self))
        measure(
            ring, Planner(model: try ring.version(), key: RotationKey(1, 2)), try parsed.integer("joined", in: 1...500),
            try parsed.integer("members", in: 1...1_000_000))
    }

    private static func measure(_ ring: RingModel, _ planner: Planner, _ joined: Int, _ members: Int) {
        var generator = SplitMix64(seed: 7)
        var stages: [PlanStage: [Double]] = [:]
        var totals: [Double] = []
        var digest: UInt64 = 0
        for member in 0..<members {
            let profile = ring.profile(member, joined, &generator)
            let request = PlanRequest(profile: profile, atMilliseconds: 1_795_000_000_000)
            let start = ContinuousClock.now
            var last = start
            let plan = planner.plan(request) { report in
                let now = ContinuousClock.now
                stages[report.stage, default: []].append(last.duration(to: now) / .microseconds(1))
                last = ContinuousClock.now
            }
            totals.append(start.duration(to: .now) / .microseconds(1))
            digest = digest &* 31 &+ plan.fingerprint(ofUser: profile.userID)
        }
        for stage in PlanStage.allCases {
            guard let times = stages[stage] else { continue }
            let name = stage.rawValue + String(repeating: " ", count: 12 - stage.rawValue.count)
            let (median, p99) = (Measuring.quantile(times, 0.5), Measuring.quantile(times, 0.99))
            print("\(name) \(Formats.fixed(median, 1)) µs, p99 \(Formats.fixed(p99, 1))")
        }
        print(
            """
            {"benchmark":"plan","groups":\(ring.groups),"cut":"\(ring.cut.rawValue)","joined":\(joined),\
            "members":\(members),\
            "medianMicroseconds":\(Formats.fixed(Measuring.quantile(totals, 0.5), 1)),\
            "p99Microseconds":\(Formats.fixed(Measuring.quantile(totals, 0.99), 1)),\
            "digest":"\(String(digest, radix: 16))"}
            """)
    }
}

/// The benchmark `coterie-bench assign`: the time to find the arms of a member.
enum AssignBenchmark: Benchmark {
    static let command = Command(
        "assign", summary: "Time the assignment of members to the arms of experiments, on one core",
        discussion: """
            Every experiment has a layer of its own, two arms and a setting, and there is a holdout. Each member is \
            hashed twice for every experiment, and once for the holdout. Counts processor time. The bound is for one \
            experiment.
            """,
        options: [
            Option("experiments", "N", help: "The experiments that run at a time", default: "1"),
            Option("members", "N", help: "The number of members", default: "1000000"),
        ])

    /// The time that an assignment may take when serving, in microseconds.
    private static let boundMicroseconds = 2.0
    private static let instant: Int64 = 1_795_000_000_000

    static func run(_ parsed: ParsedCommand) throws {
        let count = try parsed.integer("experiments", in: 1...ExperimentRegister.limit)
        let members = try parsed.integer("members", in: 1...100_000_000)
        var register = ExperimentRegister()
        if let problem = register.setHoldout(0.1) { throw Failure(.badData, problem) }
        for number in 0..<count {
            let definition = ExperimentDefinition(
                "experiment-\(number)", arms: [.init("control"), .init("other", settings: ["lambda": 0.1])],
                plan: ExperimentPlan(decides: .joins, memberCount: members, effect: 0.05))
            if let problem = register.start(definition, atMilliseconds: instant) {
                throw Failure(.badData, problem)
            }
        }
        let assigner = Assigner(register)
        let ids = (0..<1000).map { "member-\($0)" }
        var assignedCount = 0
        let begin = Measuring.processorSeconds
        for number in 0..<members {
            assignedCount &+=
                assigner.arms(
                    ofMember: ids[number % ids.count], groupCount: 50, atMilliseconds: instant
                ).count
        }
        let microseconds = (Measuring.processorSeconds - begin) * 1e6 / Double(members)
        print(
            """
            {"benchmark":"assign","experiments":\(count),"members":\(members),"assigned":\(assignedCount),\
            "microseconds":\(Measuring.fixed(microseconds)),"atMost":\(boundMicroseconds)}
            """)
    }
}

/// A synthetic model: groups on a ring, with neighbours at most a few hundred positions away (cut at the source).
struct RingModel {
    /// The rule by which lists are cut.
    enum Cut: String, CaseIterable {
        /// All lists have the same number of neighbours.
        case source
        /// Every group is in the same number of lists.
        ///
        /// The lists of frequent groups are long, and members are mostly in frequent groups.
        case target
    }

    let groups: Int
    let neighbours: Int
    var cut = Cut.source

    /// The distance between frequent groups, if lists are cut at the target.
    private static let frequency = 32

    func version() throws -> ModelVersion { try ModelVersion(encoded()) }

    /// Returns the encoded model; each group has `neighbours` neighbours, or is in that many lists, in every relation.
    func encoded() throws -> EncodedModel {
        let facts = (0..<groups).map { group in
            GroupFacts(id: "group-\(padded(group, to: 8))", title: "Group \(group) of the ring")
        }
        var sizes: [Relation: [UInt32]] = [:]
        var tables: [Relation: NeighbourTable] = [:]
        for (number, relation) in RelationTable.standard.requiredRelations.enumerated() {
            var generator = SplitMix64(seed: UInt64(number))
            tables[relation] = cut == .source ? table(&generator) : targetTable(&generator)
            sizes[relation] = [UInt32](repeating: 400, count: groups)
        }
        return try EncodedModel(groups: facts, sizes: sizes, tables: tables)
    }

    private func table(_ generator: inout SplitMix64) -> NeighbourTable {
        var table = NeighbourTable(offsets: [0], neighbours: [])
        table.neighbours.reserveCapacity(groups * neighbours)
        for group in 0..<groups {
            var offsets: Set<Int> = []
            while offsets.count < neighbours {
                let distance = Int.random(in: 1...(neighbours * 3), using: &generator)
                offsets.insert(Bool.random(using: &generator) ? distance : -distance)
            }
            // Groups closer on the ring are more similar; lists begin with the best.
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

    /// Makes lists in which every group appears `neighbours` times, half of them in lists of frequent groups.
    private func targetTable(_ generator: inout SplitMix64) -> NeighbourTable {
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

    /// Returns a member with four interests, each made of groups that are close together on the ring.
    func profile(_ member: Int, _ joined: Int, _ generator: inout SplitMix64) -> MemberProfile {
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
