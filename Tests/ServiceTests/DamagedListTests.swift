import Foundation
import ModelStore
import Recommendation
import SQLite
import TestSupport
import Testing

@testable import Service

@Suite("Damaged lists of sessions")
struct DamagedListTests {
    private let folder: TemporaryDirectory
    private let lines = Lines()
    private let damaged: DamagedLists
    private var path: String { folder.path + "/sessions" }

    init() throws {
        folder = try TemporaryDirectory()
        damaged = DamagedLists(lines.log)
    }

    private let plan = FrozenPlan.sample(seed: 8)

    @Test("A list opens for its own session alone, and not if any byte has changed", arguments: 0..<6)
    func everyByte(seed: UInt64) throws {
        let plan = FrozenPlan.sample(seed: seed)
        let sealed = plan.sealed(ofUser: "ann", session: "a")
        #expect(try FrozenPlan(sealed: sealed, ofUser: "ann", session: "a") == plan)
        func opens(_ bytes: [UInt8], _ user: String, _ session: String?) -> Bool {
            do {
                _ = try FrozenPlan(sealed: bytes, ofUser: user, session: session)
                return true
            } catch { return error != .damaged }
        }
        let changed = sealed.indices.flatMap { index in
            [0x10, 0x80, 0xFF].map { (mask: UInt8) -> [UInt8] in
                var bytes = sealed
                bytes[index] ^= mask
                return bytes
            }
        }
        let cut = (0..<sealed.count).map { Array(sealed.prefix($0)) } + [sealed + [0], [0] + sealed]
        #expect(!(changed + cut).contains { opens($0, "ann", "a") })
        for (user, session) in [("bob", "a"), ("ann", "b"), ("ann", nil), ("anna", ""), ("an", "na")] {
            #expect(!opens(sealed, user, session))
        }
    }

    @Test("A list of another version of this program is not damaged")
    func otherProgram() {
        let bytes = FrozenPlan.sealedByAnotherProgram(ofUser: "ann", session: nil)
        #expect(throws: FrozenPlan.Unreadable.otherProgram) {
            try FrozenPlan(sealed: bytes, ofUser: "ann", session: nil)
        }
    }

    @Test("A row of which any byte is changed gives a new list, is counted once, and the first is logged")
    func rows() throws {
        let file = try SessionFile(path: path, damaged: damaged)
        let intact = plan.sealed(ofUser: "ann", session: nil)
        let other = try Database(path: path, mode: .readWrite)
        try other.execute("PRAGMA synchronous = OFF")
        for index in intact.indices {
            _ = try file.keep(plan, ofUser: "ann", session: nil, at: 0)
            var bytes = intact
            bytes[index] ^= 0xFF
            let change = try other.prepare("UPDATE sessions SET plan = ?")
            change.bind(bytes: bytes, at: 1)
            try change.run()
            #expect(try file.plan(ofUser: "ann", session: nil, at: 1) == nil)
            #expect(try file.plan(ofUser: "ann", session: nil, at: 1) == nil)
        }
        #expect(damaged.total == UInt64(intact.count) && lines.all.count == 1)
        #expect(lines.all.first?.contains(path) == true)
        _ = try file.keep(plan, ofUser: "ann", session: nil, at: 2)
        #expect(try file.plan(ofUser: "ann", session: nil, at: 2) == plan)
    }

    @Test("A file of which a byte is changed shows the list that was kept, or none")
    func files() throws {
        do {
            let file = try SessionFile(path: path, damaged: damaged)
            _ = try file.keep(plan, ofUser: "ann", session: nil, at: 0)
            let other = try Database(path: path, mode: .readWrite)
            #expect(try other.emptyLog())
        }
        let intact = Array(try #require(FileManager.default.contents(atPath: path)))
        // Most of a file is empty space within pages; of what is not, every seventh byte is changed.
        var (kept, lost) = (0, 0)
        for index in intact.indices.filter({ intact[$0] != 0 || $0 % 64 == 0 }) where index % 7 == 0 {
            var bytes = intact
            bytes[index] ^= 0xFF
            for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                try FileManager.default.removeItem(atPath: folder.path + "/" + file)
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard let file = try? SessionFile(path: path, damaged: damaged) else { continue }
            let found = (try? file.plan(ofUser: "ann", session: nil, at: 1)) ?? nil
            #expect(found == nil || found == plan, "byte \(index)")
            if found == nil { lost += 1 } else { kept += 1 }
        }
        #expect(lost > plan.bytes.count / 20 && kept > 0)
    }

    @Test("A member whose list is damaged gets a list all the same, and it is told in the metrics")
    func served() throws {
        let members = try MemberCatalog()
        var routes = try members.routes()
        routes.sessions = try SessionFile(path: members.path + "-sessions", damaged: damaged)
        let target = "/v1/users/bob/recommendations"
        let first = try routes.answer(.direct, target)
        try Database(path: members.path + "-sessions", mode: .readWrite).execute(
            "UPDATE sessions SET plan = CAST(replace(plan, 'alps', 'elps') AS BLOB)")
        #expect(try routes.answer(.direct, target).text == first.text)
        var text = MetricsText()
        damaged.write(to: &text)
        #expect(String(decoding: text.bytes, as: UTF8.self).hasSuffix("\ncoterie_sessions_damaged_total 1\n"))
    }
}

extension FrozenPlan {
    /// A list as a program of another format seals it.
    static func sealedByAnotherProgram(ofUser user: String, session: String?) -> [UInt8] {
        seal([0xC0, 1, 2, 3], ofUser: user, session: session)
    }
}
