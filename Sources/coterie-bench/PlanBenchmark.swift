import CommandLineOptions
import Model
import Recommendation

/// `coterie-bench plan`: how long each stage of a member's list takes.
enum PlanBenchmark: Benchmark {
    static let command = Command(
        "plan", summary: "Time a member's list, stage by stage, on one core",
        discussion: """
            The model is synthetic: groups on a ring, where near groups are similar. Members have a few interests \
            each, and every list is for another member. The digest covers all lists: equal digests mean equal lists. \
            With lists that are cut at the target, as a recompute cuts them, those of frequent groups are long, and \
            three quarters of the groups that members are in are frequent.
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
            cut: RingModel.Cut(rawValue: parsed.text("cut")) ?? .source)
        measure(
            ring, Planner(model: try ring.version(), key: RotationKey(1, 2)), try parsed.integer("joined", in: 1...500),
            try parsed.integer("members", in: 1...1_000_000))
    }

    private static func measure(_ ring: RingModel, _ planner: Planner, _ joined: Int, _ members: Int) {
        var generator = RingModel.Generator(state: 7)
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
            let (median, p99) = (percentile(times, 0.5), percentile(times, 0.99))
            print("\(name) \(Measuring.fixed(median, 1)) µs, p99 \(Measuring.fixed(p99, 1))")
        }
        print(
            """
            {"benchmark":"plan","groups":\(ring.groups),"cut":"\(ring.cut.rawValue)","joined":\(joined),\
            "members":\(members),\
            "medianMicroseconds":\(Measuring.fixed(percentile(totals, 0.5), 1)),\
            "p99Microseconds":\(Measuring.fixed(percentile(totals, 0.99), 1)),\
            "digest":"\(String(digest, radix: 16))"}
            """)
    }

    private static func percentile(_ values: [Double], _ part: Double) -> Double {
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }
}
