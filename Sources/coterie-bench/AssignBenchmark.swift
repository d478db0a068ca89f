import CommandLineOptions
import Experiments

/// `coterie-bench assign`: how long it takes to find the arms of a member.
enum AssignBenchmark: Benchmark {
    static let command = Command(
        "assign", summary: "Time the assignment of members to the arms of experiments, on one core",
        discussion: """
            Every experiment has a layer of its own, two arms and a setting, and there is a holdout: each member is \
            hashed twice for every experiment, and once more. Counts processor time. The bound is for one experiment.
            """,
        options: [
            Option("experiments", "N", help: "The experiments that run at a time", default: "1"),
            Option("members", "N", help: "The number of members", default: "1000000"),
        ])

    /// What serving may cost, in microseconds.
    private static let boundMicroseconds = 2.0
    private static let instant: Int64 = 1_795_000_000_000

    static func run(_ parsed: ParsedCommand) throws {
        let count = try parsed.integer("experiments", in: 1...ExperimentRegister.limit)
        let members = try parsed.integer("members", in: 1...100_000_000)
        var register = ExperimentRegister()
        if let problem = register.setHoldout(0.1) { throw BenchError.data(problem) }
        for number in 0..<count {
            let definition = ExperimentDefinition(
                "experiment-\(number)", arms: [.init("control"), .init("other", settings: ["lambda": 0.1])])
            if let problem = register.start(definition, atMilliseconds: instant) { throw BenchError.data(problem) }
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
