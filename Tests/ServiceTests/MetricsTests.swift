import Basics
import Dispatch
import Foundation
import HTTP
import ModelStore
import Recompute
import Redis
@testable import Service
import Synchronization
import TestSupport
import Testing

/// What Prometheus would read: samples by name and labels.
///
/// It refuses whatever the format does not allow.
private struct Scrape {
    private(set) var samples: [String: Double] = [:]
    private(set) var types: [String: String] = [:]

    init(_ text: String) throws {
        var helped: Set<String> = []
        var family = ""
        try #require(text.hasSuffix("\n"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            let words = line.split(separator: " ", maxSplits: 3).map(String.init)
            if line.hasPrefix("# HELP ") {
                try #require(helped.insert(words[2]).inserted, "\(words[2]) comes twice")
                family = words[2]
            } else if line.hasPrefix("# TYPE ") {
                try #require(words[2] == family && ["counter", "gauge", "histogram"].contains(words[3]))
                types[family] = words[3]
                try #require(words[3] != "counter" || family.hasSuffix("_total"))
            } else {
                let space = try #require(line.lastIndex(of: " "))
                let name = line[..<space].prefix { $0 != "{" }
                let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
                try #require(suffixes.contains { family + $0 == name }, "\(line) is not of \(family)")
                let value = try #require(Double(line[line.index(after: space)...]), "\(line)")
                try #require(samples.updateValue(value, forKey: String(line[..<space])) == nil, "\(line) comes twice")
            }
        }
    }
}

@Suite("Metrics")
struct MetricsTests {
    private func scrape(_ router: Router) throws -> (Scrape, text: String) {
        let answer = try router.answer("/metrics")
        #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        return (try Scrape(answer.text), answer.text)
    }

    private static let duration = "coterie_http_request_duration_seconds"

    @Test("Requests are counted by route and status, and those refused by reason")
    func requests() throws {
        let bearers = try Bearers()
        var service = Routes(store: FakeStore(try Community.version("v1")))
        service.access = bearers.policy(open: [.metrics])
        service.limits.bearers = [.member: RateLimit(perSecond: 1, burst: 3)]
        let router = service.router()
        let ann = try bearers.field("ann")
        for _ in 0..<2 { _ = try router.answer("/v1/users/ann/recommendations", headers: [ann]) }
        _ = try router.answer("/v1/users/bob/recommendations", headers: [ann])
        _ = try router.answer("/v1/users/bob/recommendations", headers: [ann])
        _ = try router.answer("/v1/users/bob/recommendations")
        _ = try router.answer("/v1/users/ann/recommendations", headers: [bearers.field("ann", seconds: -1)])
        _ = try router.answer("/v1/users/ann/recommendations", headers: [bearers.field("ann", from: 31)])
        _ = try router.answer("/v1/users/ann/recommendations", headers: ["Authorization: Bearer x"])
        _ = try router.answer("/nowhere")
        _ = try router.answer("/a%2Fb")
        _ = router.refuse(HTTPError(.contentTooLarge, "it is too long"))
        _ = router.refuse(HTTPError(.badRequest, "it is no request"))
        _ = router.refuse(HTTPError(.serviceUnavailable, "there are too many"))
        let (scrape, _) = try scrape(router)
        func count(_ route: String, _ status: String, method: String = "GET") -> Double? {
            scrape.samples[#"\#(Self.duration)_count{method="\#(method)",route="\#(route)",status="\#(status)"}"#]
        }
        #expect(count("/v1/users/{id}/recommendations", "2xx") == 2)
        #expect(count("/v1/users/{id}/recommendations", "4xx") == 6)
        #expect(count("unmatched", "4xx", method: "") == 2)
        #expect(count("/healthz", "2xx") == nil)
        let reasons = Refusal.allCases.map { scrape.samples["coterie_http_refused_total{reason=\"\($0.rawValue)\"}"] }
        #expect(reasons == [1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(scrape.samples["coterie_http_requests_in_flight"] == 1)
        #expect(scrape.types[Self.duration] == "histogram")
    }

    @Test("Answers with 501 are counted apart from failures")
    func notImplemented() throws {
        var service = Routes(store: FakeStore(try Community.version("v1")))
        service.community = FakeCommunity(
            knowsPhotos: false, failure: Failure(.databaseFailed, "the disk is full"))
        let router = service.router()
        #expect(try router.answer("/v1/photos/p1/groups").status == 501)
        #expect(try router.answer("/v1/users/ann/recommendations").status == 503)
        let samples = try scrape(router).0.samples
        func count(_ route: String, _ status: String) -> Double? {
            samples[#"\#(Self.duration)_count{method="GET",route="\#(route)",status="\#(status)"}"#]
        }
        #expect(count("/v1/photos/{id}/groups", "501") == 1 && count("/v1/photos/{id}/groups", "5xx") == nil)
        #expect(count("/v1/users/{id}/recommendations", "5xx") == 1)
    }

    @Test("A duration falls into the first bucket whose bound is not below it, on any number of threads")
    func histogram() {
        let histogram = Histogram()
        #expect(Histogram.boundLabels.map { Double($0) } == Histogram.boundsNanoseconds.map { Double($0) / 1e9 })
        for bound in Histogram.boundsNanoseconds {
            histogram.observe(nanoseconds: bound)
            histogram.observe(nanoseconds: bound + 1)
        }
        let bounds = Histogram.boundsNanoseconds.count
        var expected = (0..<bounds).map { UInt64(2 * $0 + 1) }
        expected.append(UInt64(2 * bounds))
        #expect(histogram.reading.cumulative == expected)
        let shared = Histogram()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { shared.observe(nanoseconds: 1_000_000) }
        }
        #expect(shared.reading.cumulative.filter { $0 == 0 }.count == 3)
        #expect(shared.reading.cumulative.filter { $0 == 80_000 }.count == 11)
        #expect(abs(shared.reading.sumSeconds - 80) < 1e-9)
    }

    @Test("Metrics report the model, the store and failed polls")
    func model() throws {
        let whole = try scrape(Routes(store: FakeStore(try Community.version("v1"))).router()).0.samples
        #expect(whole["coterie_model_info{version=\"v1\"}"] == 1)
        #expect(whole["coterie_model_age_seconds"] == 60_000)
        #expect(whole["coterie_model_loaded"] == 1)
        #expect(whole["coterie_store_reachable"] == 1)
        #expect(whole["coterie_store_poll_failures_total"] == 0)
        let store = FakeStore()
        store.state.withLock { $0.failure = Failure(.unavailable, "memory is away") }
        let away = try scrape(Routes(store: store).router()).0.samples
        #expect(away["coterie_model_loaded"] == 0)
        #expect(away["coterie_model_age_seconds"] == nil)
        #expect(away["coterie_degraded"] == 1)
        #expect(away["coterie_store_reachable"] == 0)
        #expect(away["coterie_store_poll_failures_total"] == 1)
    }

    @Test("Label values are escaped")
    func escaping() throws {
        var text = MetricsText()
        text.gauge("a", "Something.", 1, [("b", "x\"y\\z\nw")])
        #expect(
            String(decoding: text.bytes, as: UTF8.self)
                == "# HELP a Something.\n# TYPE a gauge\na{b=\"x\\\"y\\\\z\\nw\"} 1\n")
    }

    @Test("Prometheus's own checker finds nothing", .enabled(if: Promtool.path != nil, "promtool is not installed"))
    func checker() throws {
        var service = Routes(store: FakeStore(try Community.version("v1")))
        service.cacheBytes = 1 << 20
        let router = service.router()
        for target in ["/healthz", "/v1/groups/alps/similar", "/nowhere"] { _ = try router.answer(target) }
        let (status, output) = try Promtool.run(["check", "metrics"], input: scrape(router).text)
        #expect(status == 0)
        #expect(output == "")
    }
}

@Suite("Alert rules")
struct AlertTests {
    private static let rules = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Jobs/coterie-alerts.yaml")

    @Test("Prometheus accepts the rules", .enabled(if: Promtool.path != nil, "promtool is not installed"))
    func rules() throws {
        let (status, output) = try Promtool.run(["check", "rules", Self.rules.path], input: "")
        #expect(status == 0, "\(output)")
    }
}

/// Prometheus's own checker, if it is installed.
private enum Promtool {
    static let path = ["/usr/bin/promtool", "/usr/local/bin/promtool"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Runs it to its end.
    static func run(_ arguments: [String], input: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(path))
        process.arguments = arguments
        let (standardInput, standardOutput) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardError = standardOutput
        process.standardOutput = standardOutput
        try process.run()
        standardInput.fileHandleForWriting.write(Data(input.utf8))
        try standardInput.fileHandleForWriting.close()
        let output = String(decoding: standardOutput.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}
