import Model
import Recommendation
import TestSupport

@testable import Service

/// Lists of sessions: a loss of power may lose them, but none is ever another one.
struct SessionWork: Work {
    static let stepCount = 6
    static let losesWithPower = true

    private let path: String
    private var file: SessionFile?

    init(in folder: String) { path = folder + "/sessions" }

    mutating func perform(_ step: Int) throws {
        let file = try file ?? Self.open(path)
        self.file = file
        _ = try file.keep(Self.plan(step), ofUser: "user", session: "\(step)", at: 5)
    }

    private static func open(_ path: String) throws -> SessionFile {
        try SessionFile(path: path, damaged: DamagedLists(EventLog(now: { 0 }, write: { _ in })))
    }

    /// A list that takes more than a page, so that its parts may be lost apart.
    private static func plan(_ step: Int) -> FrozenPlan {
        var ids = PackedTexts()
        let groups = (0..<300).map { UInt32($0 * 7 + step) }
        for group in groups { ids.append("group-\(group)".utf8) }
        return FrozenPlan(
            recommendationID: "list-\(step)", version: "v", bucket: 1, interests: [],
            items: groups.map { PlanItem(group: $0, score: 1 / Double($0 + 1), interest: nil, origin: .personal) },
            joined: [], dismissed: [], topics: [], ids: ids)
    }

    static func steps(in folder: String) throws -> Set<Int> {
        let file = try open(folder + "/sessions")
        return Set(
            try (0...stepCount).filter { step in
                // A page that was lost may make the file unreadable, which a daemon logs; it makes lists anew then.
                guard let plan = try? file.plan(ofUser: "user", session: "\(step)", at: 6) else { return false }
                guard plan == Self.plan(step) else { throw Damage(description: "list \(step) is another one") }
                return true
            })
    }
}
