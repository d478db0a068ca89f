import Basics
import Changes
import Foundation
import Model
import ModelStore
import Synchronization
import TestSupport
import Testing

@testable import Service

@Suite("What members do with lists")
struct ListFigureTests {
    private let folder: TemporaryDirectory
    private let day: Int64 = 86_400_000
    private let hour: Int64 = 3_600_000

    init() throws { folder = try TemporaryDirectory() }

    private func store() throws -> FakeStore {
        let store = FakeStore(try Community.version("v1"))
        store.state.withLock { $0.boards = folder.path }
        return store
    }

    private func record(_ kind: Interaction.Kind, list: String?, at instant: Int64) -> InteractionRecord {
        InteractionRecord(id: "x", kind, groupID: "alps", atMilliseconds: instant, recommendationID: list)
    }

    private func totals(_ day: ListDay?, through hour: Int = 23) -> [Int] {
        ListDay.Sum.allCases.map { day?.total($0, through: hour) ?? -1 }
    }

    @Test("counts for a day on all daemons, also after a restart, and names no member")
    func shared() throws {
        let (store, now) = (try store(), 20 * day + 10 * hour)
        let (one, other) = (ListFigures(store), ListFigures(store))
        one.post(at: now)
        one.made("v1-a", ofMember: "member:ann", at: now)
        other.made("v1-b", ofMember: "member:bob", at: now)
        other.made("v1-a", ofMember: "member:ann", at: now + hour)
        one.count([record(.click, list: "v1-b", at: now), record(.join, list: "v1-b", at: now)], new: 2, at: now)
        for figures in [one, other] { figures.post(at: now + hour) }
        for figures in [one, other, ListFigures(store)] {
            #expect(totals(figures.days[20]) == [3, 0, 1, 1, 0, 0])
            #expect(totals(figures.days[20], through: 10) == [2, 0, 1, 1, 0, 0])
            #expect(figures.days[20]?.members.estimate == 2 && figures.days.count == 1)
        }
        // What is not posted shows on its own daemon, and is lost with it.
        one.made("v1-c", ofMember: "member:cleo", at: now + day)
        #expect(totals(one.days[21])[0] == 1 && other.days[21] == nil)
        one.post(at: now + 2 * day)
        #expect(totals(other.days[21])[0] == 1 && totals(one.days[20]) == [3, 0, 1, 1, 0, 0])
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/lists")
        let posted = try names.map { try String(contentsOfFile: "\(folder.path)/lists/\($0)", encoding: .utf8) }
        #expect(names.count == 4 && !(names + posted).contains { $0.contains("member:") })
    }

    @Test("counts only if it names a list of the site, is of the last day, and is new")
    func counted() throws {
        let (figures, now) = (ListFigures(try store()), 20 * day)
        figures.made("v1-a", ofMember: "member:ann", at: now)
        for (kind, list, at) in [
            (Interaction.Kind.dismiss, "v1-a", now), (.impression, "v1-a", now - day), (.click, "v1-a", now - day - 1),
            (.click, "other-a", now), (.join, nil, now), (.impression, "other-a", now), (.leave, "v1-a", now),
        ] as [(Interaction.Kind, String?, Int64)] {
            figures.count([record(kind, list: list, at: at)], new: 1, at: now)
        }
        figures.count([record(.join, list: "v1-a", at: now)], new: 0, at: now)
        #expect(totals(figures.days[20]) == [1, 1, 0, 0, 1, 2])
    }

    @Test("is kept for a later time if the store cannot be written to")
    func unwritable() throws {
        let (figures, now) = (ListFigures(try store()), 20 * day)
        try Data().write(to: URL(filePath: folder.path + "/lists"))
        figures.made("v1-a", ofMember: "member:ann", at: now)
        figures.post(at: now + day)
        #expect(totals(figures.days[20])[0] == 1)
        try FileManager.default.removeItem(atPath: folder.path + "/lists")
        figures.post(at: now + day)
        #expect(totals(ListFigures(try store()).days[20])[0] == 1)
    }
}
