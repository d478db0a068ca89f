import Basics
import CatalogStore
import Foundation
import Model
import ModelStore
import Recompute
import SQLite
import TestSupport
import Testing

@Suite("A recompute from a catalog that is damaged")
struct DamagedCatalogTests {
    /// Changes a few bytes in one place of a file.
    private func damage(_ path: String, _ whole: Data, _ generator: inout SeededGenerator) throws {
        var bytes = whole
        // Behind the header of the file, which says what it is.
        let start = Int.random(in: 100..<bytes.count - 8, using: &generator)
        for offset in 0..<Int.random(in: 1...8, using: &generator) {
            bytes[start + offset] = UInt8.random(in: 0...255, using: &generator)
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    private func isWhole(_ path: String) -> Bool {
        let database = try? Database(path: path, mode: .readOnly)
        return (try? database?.checkWhole()) != nil
    }

    @Test("with a check publishes nothing if SQLite finds damage", arguments: 0..<3)
    func damage(seed: UInt64) throws {
        let community = try SmallCommunity.random(seed: 300 + seed)
        var generator = SeededGenerator(seed: seed)
        let path = community.catalogPath
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        // Whether a changed byte counts depends on the layout of the file.
        var (rounds, rejected) = (0, 0)
        while rejected < 6, rounds < 1000 {
            rounds += 1
            try damage(path, whole, &generator)
            guard !isWhole(path) else { continue }
            rejected += 1
            #expect(throws: Failure.self) { try community.recompute { $0.checksCatalog = true } }
        }
        #expect(rejected == 6)
        #expect(try community.store.current() == nil)
    }

    @Test("says that it is damaged, and what to do")
    func message() throws {
        let community = try SmallCommunity.random(seed: 300)
        let database = try Database(path: community.catalogPath, mode: .readWrite)
        // The pages of the table are the tree of another one.
        try database.execute(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'pools')
            WHERE name = 'memberships'
            """)
        let error = #expect(throws: Failure.self) { try community.recompute { $0.checksCatalog = true } }
        #expect(error?.code == .badData && error?.message.contains("backup") == true, "\(String(describing: error))")
    }

    @Test("with a key that so few rows cannot explain says so, and does not ask for memory for every key up to it")
    func incredibleKey() throws {
        for (table, column) in [("photos", "photo_key"), ("users", "user_key"), ("groups", "group_key")] {
            let community = try SmallCommunity.random(seed: 300)
            let database = try Database(path: community.catalogPath, mode: .readWrite)
            try database.execute(
                """
                UPDATE \(table) SET \(column) = 2147483648
                WHERE \(column) = (SELECT max(\(column)) FROM \(table))
                """)
            let error = #expect(throws: Failure.self) { try community.recompute() }
            #expect(
                error?.code == .badData && error?.message.contains("2147483648") == true,
                "\(table): \(String(describing: error))")
        }
    }

    @Test("is not copied for an evaluation", arguments: 0..<2)
    func copying(seed: UInt64) throws {
        let community = try SmallCommunity.random(seed: 300 + seed)
        var generator = SeededGenerator(seed: seed)
        let path = community.catalogPath
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for number in 0..<20 {
            try damage(path, whole, &generator)
            guard !isWhole(path), let catalog = try? Facts(path: path) else { continue }
            let error = #expect(throws: Failure.self) {
                try HoldOutRule.last.copy(catalog, to: path + "-copy-\(number)")
            }
            #expect(error?.code == .badData, "\(error?.message ?? "")")
        }
    }
}
