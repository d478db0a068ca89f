import Basics
import CommandLine
import Foundation
import Glibc
import Model
import Synchronization

/// Clients that send all kinds of requests to the daemons in turn, and check the answers.
final class SoakClients: Sendable {
    /// A request with its kind.
    private struct Question {
        var kind: String
        var bytes: [UInt8]
        /// Whether the answer names groups.
        var hasGroups = true
    }

    private static let patienceSeconds = 20

    private let community: SoakCommunity
    private let ports: [UInt16]
    private let findings: SoakFindings
    private let hidden: RecentlyHiddenGroups
    private let pauseSeconds: Double
    private let hasBatches: Bool
    private let isOver = Atomic(false)
    private let threads = Mutex<[WorkThread]>([])

    /// Creates clients; `pauseSeconds` is the least time between two requests of one client.
    init(
        _ community: SoakCommunity, ports: [UInt16], findings: SoakFindings, hidden: RecentlyHiddenGroups,
        pauseSeconds: Double, hasBatches: Bool
    ) {
        self.community = community
        self.ports = ports
        self.findings = findings
        self.hidden = hidden
        self.pauseSeconds = pauseSeconds
        self.hasBatches = hasBatches
    }

    /// Starts clients, each on its own thread.
    func start(_ count: Int) throws {
        for number in 0..<count {
            let thread = try WorkThread { [self] in
                do {
                    try ask(SplitMix64(seed: UInt64(number)), client: number)
                } catch { findings.fail("client \(number): \(error)") }
            }
            threads.withLock { $0.append(thread) }
        }
    }

    /// Ends all clients.
    func stop() {
        isOver.store(true, ordering: .relaxed)
        for thread in threads.withLock(\.self) { thread.join() }
    }

    private func ask(_ generator: SplitMix64, client: Int) throws {
        var generator = generator
        var connections = try ports.map { try connection(to: $0) }
        var number = 0
        while !isOver.load(ordering: .relaxed) {
            let due = ContinuousClock.now + .seconds(pauseSeconds)
            number += 1
            let daemon = number % ports.count
            let question = question("\(client)-\(number)", &generator)
            let forbidden = hidden.groups(for: daemon)
            do throws(Failure) {
                let response = try connections[daemon].answer(to: question.bytes)
                findings.note(question.kind, response.status)
                if response.status == 200, question.hasGroups {
                    check(response.body, question.kind, forbidden.intersection(hidden.all), daemon)
                }
            } catch {
                findings.fail("\(question.kind) was not answered by daemon \(daemon): \(error)")
                connections[daemon] = try connection(to: ports[daemon])
            }
            Thread.sleep(forTimeInterval: max(0, (due - .now) / .seconds(1)))
        }
    }

    private func connection(to port: UInt16) throws(Failure) -> ClientConnection {
        let connection = try ClientConnection(port: port)
        // The value is a timeval by its fields, because the type's module depends on which C header was read first.
        let patience = [Self.patienceSeconds, 0]
        unsafe setsockopt(
            connection.socket, SOL_SOCKET, SO_RCVTIMEO, patience, socklen_t(2 * MemoryLayout<Int>.size))
        return connection
    }

    private func question(_ id: String, _ generator: inout SplitMix64) -> Question {
        let group = community.groups.randomElement(using: &generator) ?? ""
        let user = community.users.randomElement(using: &generator) ?? ""
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<3:
            let kind = ["click", "impression", "join", "leave", "dismiss"].randomElement(using: &generator) ?? ""
            return Question(
                kind: "interaction",
                bytes: ClientConnection.request(
                    "/v1/users/\(user)/interactions",
                    json: #"{"interactions":[{"id":"\#(id)","kind":"\#(kind)","groupId":"\#(group)"}]}"#),
                hasGroups: false)
        case 3..<6:
            return Question(kind: "similar", bytes: ClientConnection.request("/v1/groups/\(group)/similar?limit=50"))
        case 6..<8:
            let photo = community.photos.randomElement(using: &generator) ?? ""
            return Question(kind: "photo", bytes: ClientConnection.request("/v1/photos/\(photo)/groups"))
        case 8 where hasBatches:
            let users = (0..<10).map { _ in "\"\(community.users.randomElement(using: &generator) ?? "")\"" }
            return Question(
                kind: "batch",
                bytes: ClientConnection.request(
                    "/v1/recommendations", json: #"{"userIds":[\#(users.joined(separator: ","))],"limit":20}"#))
        case 9: return Question(kind: "trending", bytes: ClientConnection.request("/v1/trending"))
        default:
            // Few sessions are used; most requests therefore continue an earlier session.
            let session = Int.random(in: 0..<3, using: &generator)
            return Question(
                kind: "list",
                bytes: ClientConnection.request(
                    "/v1/users/\(user)/recommendations?limit=100&session=\(session)"))
        }
    }

    /// Checks an answer for groups that must not be shown, and for titles of two versions.
    private func check(_ body: [UInt8], _ kind: String, _ forbidden: Set<String>, _ daemon: Int) {
        guard let answer = try? JSONSerialization.jsonObject(with: Data(body)) else {
            return findings.fail("\(kind) is no JSON")
        }
        var told = AnswerContent()
        told.collect(from: answer)
        for group in told.ids.intersection(forbidden) where hidden.all.contains(group) {
            findings.fail("daemon \(daemon): \(kind) shows \(group), which is hidden")
        }
        guard told.marks.count < 2, told.versions.count < 2 else {
            return findings.fail("daemon \(daemon): \(kind) is of versions \(told.versions), titles of \(told.marks)")
        }
        if let version = told.versions.first, let mark = told.marks.first,
            !findings.isKnown(mark, ofVersion: version)
        {
            findings.fail("daemon \(daemon): \(kind) of \(version) has titles of \(mark)")
        }
    }
}

/// The groups, title marks and versions in an answer, at any depth.
private struct AnswerContent {
    var ids: Set<String> = []
    var marks: Set<Int> = []
    var versions: Set<String> = []

    mutating func collect(from value: Any) {
        if let list = value as? [Any] {
            for element in list { collect(from: element) }
        } else if let object = value as? [String: Any] {
            if let id = object["groupId"] as? String { ids.insert(id) }
            if let mark = (object["title"] as? String).flatMap(SoakCommunity.mark) { marks.insert(mark) }
            if let version = object["modelVersion"] as? String { versions.insert(version) }
            for element in object.values { collect(from: element) }
        }
    }
}
