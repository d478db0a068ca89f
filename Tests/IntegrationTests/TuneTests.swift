import Foundation
import SQLite
import Testing

@Suite("Tuning", .aFewAtATime)
struct TuneTests {
    private struct Tuned: Decodable {
        var isTuned: Bool
        var tuning: Record?
    }

    private struct Record: Decodable {
        struct Settings: Decodable { var parts: [String: Part] }
        struct Part: Decodable {
            var formula: [String: Value]
            var limit: Int
            var weight: Double
        }
        enum Value: Decodable, Equatable {
            case number(Double), text(String)

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Double.self) {
                    self = .number(number)
                } else {
                    self = .text(try container.decode(String.self))
                }
            }
        }
        var settings: Settings
        var tunedAtMilliseconds: Int64
        struct Difference: Decodable { var mean, standardError: Double }
        var recall, usualRecall: Double
        var difference: Difference
    }

    private struct Run: Decodable {
        struct Journal: Decodable {
            struct Trial: Decodable {
                var recall: Double
                var isOnAll: Bool
            }
            var trials: [Trial]
            var seconds: Double
        }
        var isBetter: Bool
        var tuning: Record
        var journal: Journal
    }

    private struct Recomputed: Decodable {
        struct Manifest: Decodable {
            struct Relation: Decodable {
                var relation: String
                var measureParameters: [String: Double]
                var limit: Int
                var evidenceWeight: Double?
            }
            var relations: [Relation]
            var tunedAtMilliseconds: Int64?
        }
        var manifest: Manifest
    }

    /// Keeps settings as a tuning does, whatever it would find.
    private func keep(_ workspace: Workspace, limit: Int, power: Double) throws {
        let formula = """
            {"degreeDiscount":0.5,"sourceExponent":0.6,"neighbourExponent":0.3,"shrinkage":2,"scorePower":\(power),\
            "cut":"source","listPower":0.25,"ridgeShare":0,"ridgePenalty":15,"limitExponent":0}
            """
        let part = { (weight: Double) in #"{"formula":\#(formula),"limit":\#(limit),"weight":\#(weight)}"# }
        let record = """
            {"settings":{"parts":{"members":\(part(1)),"photos":\(part(0.125))}},"tunedAtMilliseconds":1790000000000,\
            "memberCount":9,"usualRecall":0.1,"recall":0.2,"difference":{"mean":0.1,"standardError":0.02},\
            "popularRecall":0.1,"differenceToPopular":{"mean":0.1,"standardError":0.02}}
            """
        try workspace.writing { try $0.execute("INSERT INTO tuning_notes VALUES ('settings', '\(record)')") }
    }

    /// Imports who is in what of some members of the sample: few enough for a program that is not optimized.
    private func importSomeMembers(_ workspace: Workspace) async throws {
        var rows = ["group_id\tuser_id"]
        var users: Set<String> = []
        for row in try SampleCommunity.rows("memberships", ["group_id", "user_id"]) {
            if users.count < 200 { users.insert(row[1]) }
            if users.contains(row[1]) { rows.append(row.joined(separator: "\t")) }
        }
        let file = try workspace.write(rows.joined(separator: "\n") + "\n", to: "some.tsv")
        try await workspace.succeed("import", "memberships", file)
    }

    @Test("What was tuned is used by the next recompute, explicit options win over it, and it can be discarded")
    func kept() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let usual = try await workspace.succeed("recompute", "--dry-run", "--json")
        #expect(usual.errors.contains("coterie tune"))
        #expect(try usual.json(Recomputed.self).manifest.tunedAtMilliseconds == nil)
        try keep(workspace, limit: 40, power: 1.25)
        let run = try await workspace.succeed("recompute", "--dry-run", "--json")
        let manifest = try run.json(Recomputed.self).manifest
        #expect(manifest.tunedAtMilliseconds == 1_790_000_000_000 && !run.errors.contains("coterie tune"))
        // Features of photos are not tuned.
        let tuned = ["photos", "members"]
        for relation in manifest.relations where tuned.contains(relation.relation) {
            #expect(relation.limit == 40 && relation.measureParameters["r"] == 1.25)
            #expect(relation.evidenceWeight == (relation.relation == "photos" ? 0.125 : 1))
        }
        let given: Recomputed = try await workspace.succeed(
            "recompute", "--dry-run", "--json", "--neighbours", "60", "--score-power", "0.75"
        ).json()
        for relation in given.manifest.relations {
            #expect(relation.limit == 60 && relation.measureParameters["r"] == 0.75)
            #expect(relation.measureParameters["h"] == (tuned.contains(relation.relation) ? 2 : 4.5))
        }
        let shown = try await workspace.succeed("tune", "--show")
        #expect(shown.text.contains("1.25") && shown.text.contains("photos"))
        #expect(shown.text.contains("the mean of recall and NDCG is better by 0.1000 ± 0.0200"))
        let discarded: Tuned = try await workspace.succeed("tune", "--discard", "--json").json()
        #expect(!discarded.isTuned && discarded.tuning == nil)
        let after: Recomputed = try await workspace.succeed("recompute", "--dry-run", "--json").json()
        #expect(after.manifest.tunedAtMilliseconds == nil && after.manifest.relations[0].limit == 100)
    }

    @Test("A run within its budget says what it tried, keeps what is better, and changes nothing else")
    func run() async throws {
        let workspace = try Workspace()
        try await importSomeMembers(workspace)
        // One time says nothing about what the others joined last.
        let dated = try workspace.write("group_id\tuser_id\tjoined_at\nnew\tsomebody\t2026-01-01\n", to: "dated.tsv")
        try await workspace.succeed("import", "memberships", dated)
        let before = try await workspace.succeed("stats", "--json").text
        let run: Run = try await workspace.succeed("tune", "--budget", "8s", "--json").json()
        #expect(!run.journal.trials.isEmpty)
        let difference = run.tuning.difference
        #expect(difference.standardError >= 0 && (0...1).contains(run.tuning.recall))
        #expect(!run.isBetter || difference.mean > 2 * difference.standardError)
        let shown: Tuned = try await workspace.succeed("tune", "--show", "--json").json()
        #expect(shown.isTuned == run.isBetter)
        #expect(try await workspace.succeed("stats", "--json").text == before)
    }

    @Test("A killed run goes on where it was")
    func killed() async throws {
        let workspace = try Workspace()
        try await importSomeMembers(workspace)
        let command = try workspace.start(["tune", "--budget", "60s"])
        func isJournaled() throws -> Bool {
            let rows = try workspace.database().prepare("SELECT 1 FROM tuning_notes WHERE name = 'journal'")
            return try rows.step()
        }
        while command.isRunning, try !isJournaled() { usleep(1000) }
        command.send(SIGKILL)
        #expect(await command.wait().ending == .killed(signal: SIGKILL))
        let again = try await workspace.succeed("tune", "--budget", "1s", "--json")
        #expect(again.errors.contains("trials known"))
        #expect(try again.json(Run.self).journal.trials.isEmpty == false)
        // Of another state of the catalog nothing is known.
        let file = try workspace.write("group_id\tuser_id\nnew\tsomebody\n", to: "more.tsv")
        try await workspace.succeed("import", "memberships", file)
        #expect(try await !workspace.succeed("tune", "--budget", "1s").errors.contains("trials known"))
    }

    @Test(
        "What makes no sense is refused",
        arguments: [["--show", "--discard"], ["--budget", "0s"], ["--budget", "soon"], ["file.tsv"]])
    func refused(arguments: [String]) async throws {
        let workspace = try Workspace()
        #expect(try await workspace.start(["tune"] + arguments).wait().exitCode == CommandRun.ExitCode.usage)
    }

    @Test("Too few members, or no catalog, is an error that says so")
    func tooFew() async throws {
        let workspace = try Workspace()
        #expect(try await workspace.run("tune").exitCode == CommandRun.ExitCode.badData)
        let file = try workspace.write("group_id\tuser_id\na\tu\nb\tu\n", to: "few.tsv")
        try await workspace.succeed("import", "memberships", file)
        let run = try await workspace.run("tune")
        #expect(run.exitCode == CommandRun.ExitCode.badData && run.errors.contains("1 members in two groups"))
    }
}

extension Workspace {
    /// Writes to the catalog as no command does.
    fileprivate func writing(_ body: (Database) throws -> Void) throws {
        try body(try Database(path: catalog, mode: .readWrite))
    }
}
