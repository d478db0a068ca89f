import Foundation
import Model
import ModelStore
@testable import Operations
@testable import Service
import TestSupport
import Testing

@Suite("The questions of a check")
struct HealthQuestionTests {
    private static let article = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Sources/coterie/Documentation.docc/WhatCheckAsks.md")

    @Test("The article has the table of questions as the program has it")
    func documented() throws {
        let text = try String(contentsOf: Self.article, encoding: .utf8)
        let rows = HealthQuestion.all.flatMap { question in
            question.faults.map { fault in
                let cause = fault.bound.map { "\(fault.cause) (`--\($0.name)`)" } ?? fault.cause
                let cells = [question.subject, fault.state.rawValue, cause, fault.advice]
                return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
            }
        }
        let table = (["| subject | is | if | what to do |", "| --- | --- | --- | --- |"] + rows).joined(separator: "\n")
        #expect(text.contains(table), "the table is now:\n\(table)")
    }

    @Test("Each question has a subject of its own and a fault, and each bound decides about a fault")
    func complete() {
        let subjects = HealthQuestion.all.map(\.subject)
        #expect(Set(subjects).count == subjects.count)
        #expect(HealthQuestion.all.allSatisfy { !$0.faults.isEmpty && !$0.looksAt.isEmpty })
        let bounds = Set(HealthQuestion.all.flatMap(\.faults).compactMap(\.bound))
        #expect(bounds == Set(HealthBound.allCases))
    }

    /// Returns what is not good of a store with one version, so many seconds after the version was made.
    ///
    /// - Parameter change: changes the folder of the store before.
    private func findings(
        secondsLater: Int64 = 100, reports: [DaemonReport] = [], changing change: (String) throws -> Void = { _ in }
    ) throws -> [String] {
        let directory = try TemporaryDirectory()
        let store = FolderStore(directory.path + "/store")
        let model = try SampleModel.model(groupCount: 5)
        let manifest = try SampleModel.manifest(0, groupCount: 5)
        _ = try store.publish(model, manifest: manifest, members: nil) { _, _ in }
        try store.makeCurrent(manifest.version)
        for report in reports {
            try store.board?.post(Array(JSONEncoder().encode(report)), ofDaemon: "d\(report.port)")
        }
        try change(store.location)
        let places = HealthCheck.Places(
            catalog: directory.path + "/none.sqlite", store: .folder(store.location), cache: directory.path)
        var found: [String] = []
        let check = HealthCheck(places, scratchFolder: directory.path + "/scratch") {
            manifest.createdAtMilliseconds + secondsLater * 1000
        }
        _ = check.run { finding in
            guard finding.state != .good, finding.subject != "catalog" else { return }
            found.append("\(finding.state.rawValue) \(finding.subject.prefix { $0 != " " }): \(finding.message)")
        }
        return found
    }

    private func report(
        _ port: Int, secondsAhead: Int64 = 0, program: String? = ProgramVersion.current.description,
        version: String? = "v", problems: [String] = []
    ) throws -> DaemonReport {
        let now = try SampleModel.manifest(0, groupCount: 5).createdAtMilliseconds + 100_000
        return DaemonReport(
            host: "h", processId: 1, program: program, address: "127.0.0.1", port: port, startedAtMilliseconds: 0,
            reportedAtMilliseconds: now + secondsAhead * 1000, modelVersion: version, problems: problems)
    }

    @Test("A version that nothing replaced for long is bad, not only a warning")
    func age() throws {
        for (days, state) in [(14, nil), (15, "warning"), (28, "warning"), (29, "bad"), (400, "bad")]
            as [(Int64, String?)]
        {
            let found = try findings(secondsLater: days * 86_400)
            #expect(found == (state.map { ["\($0) version: it is whole, but \(days) days old, and current"] } ?? []))
        }
    }

    @Test("A list of decisions that cannot be read is named")
    func decisions() throws {
        let found = try findings { try Data().write(to: URL(filePath: $0 + "/decisions")) }
        #expect(found.count == 1 && found.allSatisfy { $0.hasPrefix("warning store: ") && $0.contains("/decisions") })
    }

    @Test("Daemons with another program, a wrong clock, a problem, or nothing to serve are named")
    func daemons() throws {
        #expect(try findings(reports: [try report(1)]) == [])
        let found = try findings(reports: [
            try report(1, secondsAhead: 3600), try report(2, secondsAhead: -3600), try report(3, program: nil),
            try report(4, version: nil, problems: ["the disk is full"]), try report(5, problems: ["the store is away"]),
        ])
        for expected in [
            "bad clock: the clock of h port 1 is 3600 s ahead of this machine's",
            "bad clock: the clock of h port 2 is 3600 s behind this machine's",
            "bad daemon: it has no version to serve: the disk is full", "warning daemon: the store is away",
        ] { #expect(found.contains(expected), "\(expected): \(found)") }
        let program = found.first { $0.hasPrefix("warning program: ") }
        #expect(program?.hasSuffix("but h port 3 runs an earlier program") == true, "\(found)")
    }

    @Test("A unit that failed, and a timer that is enabled but does not run, are named")
    func units() {
        func unit(_ name: String, _ load: String, _ active: String, _ result: String, _ file: String) -> String {
            "Id=\(name)\nLoadState=\(load)\nActiveState=\(active)\nResult=\(result)\nUnitFileState=\(file)\n"
        }
        func findings(_ units: String...) -> [String] {
            UnitState.findings(UnitState.all(in: units.joined(separator: "\n"))).map {
                "\($0.state.rawValue) \($0.message)"
            }
        }
        #expect(findings(unit("coterie-serve.service", "not-found", "inactive", "success", "")) == [])
        let serve = unit("coterie-serve.service", "loaded", "active", "success", "enabled")
        let idle = unit("coterie-recompute.service", "loaded", "inactive", "success", "disabled")
        let timer = unit("coterie-recompute.timer", "loaded", "active", "success", "enabled")
        #expect(findings(serve, idle, timer) == ["good none of 3 has failed"])
        #expect(
            findings(
                serve, unit("coterie-recompute.service", "loaded", "failed", "start-limit-hit", "disabled"),
                unit("coterie-recompute.timer", "loaded", "inactive", "success", "enabled"),
                unit("coterie-backup.timer", "loaded", "inactive", "success", "disabled"))
                == [
                    "bad coterie-recompute.service has failed (start-limit-hit)",
                    "warning coterie-recompute.timer is enabled but does not run",
                ])
    }

    @Test("All units that a site may have are looked at, but for that of the check itself")
    func allUnits() throws {
        let jobs = Self.article.deletingLastPathComponent().appending(path: "../../../Jobs")
        let files = try ["", "connect"].flatMap {
            try FileManager.default.contentsOfDirectory(atPath: jobs.appending(path: $0).path)
        }
        let units = files.filter { $0.hasSuffix(".service") || $0.hasSuffix(".timer") }
        #expect(Set(units).subtracting(["coterie-check.service"]) == Set(UnitState.names))
    }

    @Test("The file for Prometheus has all states, and the count of evicted keys for the next check")
    func status() {
        var status = CheckStatus(seconds: 9, evictedKeys: 7)
        status.counts = [.good: 3, .bad: 1]
        #expect(status.text.contains("coterie_check_findings{state=\"bad\"} 1\n"))
        #expect(status.text.contains("coterie_check_findings{state=\"warning\"} 0\n"))
        #expect(status.text.contains("\ncoterie_check_timestamp_seconds 9\n"))
        #expect(CheckStatus.evictedKeys(in: status.text) == 7)
        #expect(CheckStatus.evictedKeys(in: CheckStatus(seconds: 9, evictedKeys: nil).text) == nil)
    }
}
