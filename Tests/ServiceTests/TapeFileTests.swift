import Basics
import Foundation
@testable import Service
import TestSupport
import Testing

@Suite("Tapes")
struct TapeFileTests {
    static let header = TapeHeader(release: "1.2.3", settings: "f00", memberNames: .ids)

    /// Any exchange; bodies are often those of others, and not always text.
    static func exchange(_ sequence: UInt64, _ generator: inout SeededGenerator) -> Exchange {
        func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) } }
        let bodies = [[], Array("{\"a\":\"é\\n\"}".utf8), bytes(20), [UInt8](repeating: 97, count: 3000)]
        return Exchange(
            sequence: sequence, atMilliseconds: .random(in: 0...2_000_000_000_000, using: &generator),
            method: Bool.random(using: &generator) ? "GET" : "POST", target: "/v1/\(sequence)?a=%2F\"\u{1}",
            route: Bool.random(using: &generator) ? "/v1/{id}" : nil,
            member: Bool.random(using: &generator) ? "zoë \(sequence % 3)" : nil,
            isChange: Bool.random(using: &generator),
            requestHeaders: Bool.random(using: &generator) ? ["Accept": "*/*", "If-None-Match": "W/\"x\""] : [:],
            requestBody: bodies[Int.random(in: 0..<4, using: &generator)], status: 200,
            headers: Bool.random(using: &generator) ? ["ETag": "W/\"y\""] : [:],
            body: bodies[Int.random(in: 0..<4, using: &generator)],
            microseconds: .random(in: 0...UInt64.max, using: &generator))
    }

    /// All that can be read.
    static func read(_ path: String) throws -> (exchanges: [Exchange], cutFiles: [String]) {
        let reader = try TapeReader(path)
        var exchanges: [Exchange] = []
        while let exchange = try reader.next() { exchanges.append(exchange) }
        return (exchanges, reader.condition.cutFiles)
    }

    /// Writes exchanges, a block after every so many of them, a millisecond apart.
    static func write(
        _ exchanges: [Exchange], to folder: String, limits: TapeWriter.Limits = .init(), blockCount: Int = 7
    ) throws {
        let writer = try TapeWriter(folder: folder, header: header, limits: limits)
        for (index, exchange) in exchanges.enumerated() {
            let first = index - index % blockCount
            let same = exchanges[first..<index].first { !$0.body.isEmpty && $0.body == exchange.body }
            writer.append(exchange, bodyOf: same?.sequence)
            if index % blockCount == blockCount - 1 { try writer.writeBlock(atMilliseconds: Int64(index)) }
        }
        try writer.writeBlock(atMilliseconds: Int64(exchanges.count))
    }

    @Test("What was written is read, in its order", arguments: 0..<20)
    func roundTrip(seed: UInt64) throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: seed)
        let exchanges = (1...UInt64.random(in: 1...60, using: &generator)).map { Self.exchange($0, &generator) }
        try Self.write(exchanges, to: folder.path + "/tape")
        let read = try Self.read(folder.path + "/tape")
        #expect(read.exchanges == exchanges && read.cutFiles.isEmpty)
        #expect(try TapeReader(folder.path + "/tape").header.release == "1.2.3")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/tape")[.posixPermissions]
        #expect(mode as? Int == 0o700)
    }

    @Test("A file that ends anywhere is read up to its last whole block")
    func cut() throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 5)
        let exchanges = (1...20).map { Self.exchange(UInt64($0), &generator) }
        try Self.write(exchanges, to: folder.path, blockCount: 5)
        let file = try #require(try TapeFolder(path: folder.path).files().first)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        var counts: [Int] = []
        for length in Array(stride(from: 0, to: bytes.count, by: 3)) + [bytes.count] {
            try bytes.prefix(length).write(to: URL(fileURLWithPath: file))
            guard let read = try? Self.read(folder.path) else {
                // Nothing was whole yet, not even the header.
                #expect(counts.isEmpty)
                continue
            }
            #expect(read.exchanges == Array(exchanges.prefix(read.exchanges.count)))
            // A file that ends between two blocks is not whole either.
            #expect(read.cutFiles.isEmpty == (length == bytes.count), "\(length) of \(bytes.count)")
            #expect(read.exchanges.count % 5 == 0 && read.exchanges.count >= counts.last ?? 0)
            counts.append(read.exchanges.count)
        }
        #expect(Set(counts).isSuperset(of: [0, 5, 10, 15]))
    }

    @Test("A damaged block costs itself, and what is missing is counted", arguments: 0..<5)
    func damagedBlock(block: Int) throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 6)
        let exchanges = (1...20).map { Self.exchange(UInt64($0), &generator) }
        try Self.write(exchanges, to: folder.path, blockCount: 4)
        let file = try #require(try TapeFolder(path: folder.path).files().first)
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        // The blocks of exchanges follow the header.
        let starts = bytes.indices.dropLast(2).filter { bytes[$0...].starts(with: [0x1F, 0x8B, 8]) }
        try #require(starts.count >= 7)
        bytes[starts[block + 1] + 14] ^= 0xFF
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        let reader = try TapeReader(folder.path)
        var read: [Exchange] = []
        while let exchange = try reader.next() { read.append(exchange) }
        #expect(read == exchanges.enumerated().filter { $0.offset / 4 != block }.map(\.element))
        #expect(reader.condition.damagedCount == 1 && !reader.condition.isWhole && reader.condition.cutFiles.isEmpty)
        // Before the first and behind the last, no number tells what is missing.
        #expect(reader.condition.missingCount == ((1...3).contains(block) ? 4 : 0))
    }

    @Test("A damaged header costs nothing but itself, if another file has one")
    func damagedHeader() throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 8)
        let exchanges = (1...8).map { Self.exchange(UInt64($0), &generator) }
        try Self.write(Array(exchanges.prefix(4)), to: folder.path)
        try Self.write(Array(exchanges.suffix(4)), to: folder.path)
        let files = try TapeFolder(path: folder.path).files()
        try #require(files.count == 2)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: files[0]))
        bytes[14] ^= 0xFF
        try bytes.write(to: URL(fileURLWithPath: files[0]))
        #expect(try Self.read(folder.path).exchanges == exchanges)
        #expect(try TapeReader(folder.path).header.release == "1.2.3")
        #expect(throws: Failure.self) { try TapeReader(files[0]) }
    }

    @Test("Settings that change while a tape is recorded are known", arguments: [true, false])
    func changedSettings(areOther: Bool) throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: 9)
        for lambda in ["0.1", areOther ? "0.5" : "0.1"] {
            var header = Self.header
            header.lists = ["lists.lambda": lambda]
            let writer = try TapeWriter(folder: folder.path, header: header)
            writer.append(Self.exchange(1, &generator))
            try writer.writeBlock(atMilliseconds: 1)
            writer.end()
        }
        let reader = try TapeReader(folder.path)
        while try reader.next() != nil {}
        #expect(reader.hasChangedSettings == areOther)
    }

    @Test("No bytes harm the reader", arguments: 0..<40)
    func foreignBytes(seed: UInt64) throws {
        let folder = try TemporaryDirectory()
        var generator = SeededGenerator(seed: seed)
        let exchanges = (1...10).map { Self.exchange(UInt64($0), &generator) }
        try Self.write(exchanges, to: folder.path, blockCount: 3)
        let file = try #require(try TapeFolder(path: folder.path).files().first)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: file))
        for _ in 0..<Int.random(in: 1...20, using: &generator) {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
        }
        try bytes.write(to: URL(fileURLWithPath: file))
        // Checksums tell what is not as it was written.
        if let read = try? Self.read(folder.path) {
            #expect(read.exchanges == exchanges.filter(read.exchanges.contains))
        }
        let noise = (0..<Int.random(in: 0...4000, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
        }
        try Data(noise).write(to: URL(fileURLWithPath: file))
        #expect(throws: Failure.self) { try Self.read(folder.path) }
    }

    @Test("The oldest files go when there is too much, or when they are too old")
    func bounds() throws {
        let folder = try TemporaryDirectory()
        var limits = TapeWriter.Limits()
        limits.byteCount = 1 << 20
        var generator = SeededGenerator(seed: 7)
        let exchanges = (1...1500).map { number in
            var exchange = Self.exchange(UInt64(number), &generator)
            exchange.body = (0..<2000).map { _ in .random(in: 0...255, using: &generator) }
            return exchange
        }
        try Self.write(exchanges, to: folder.path, limits: limits)
        let files = try TapeFolder(path: folder.path).files()
        let sizes = try files.map { file in
            try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
        }
        #expect(files.count > 5 && sizes.reduce(0, +) <= limits.byteCount)
        let read = try Self.read(folder.path).exchanges
        #expect(read == Array(exchanges.suffix(read.count)) && read.count > 200)

        limits.keptSeconds = 3600
        let writer = try TapeWriter(folder: folder.path, header: Self.header, limits: limits)
        let later = Int64(Date().timeIntervalSince1970 * 1000) + 7_200_000
        writer.append(exchanges[0])
        try writer.writeBlock(atMilliseconds: later)
        #expect(try Self.read(folder.path).exchanges == [exchanges[0]])
    }

    @Test("One process records into a folder at a time")
    func busy() throws {
        let folder = try TemporaryDirectory()
        let writer = try TapeWriter(folder: folder.path, header: Self.header)
        let error = #expect(throws: Failure.self) { try TapeWriter(folder: folder.path, header: Self.header) }
        #expect(error?.code == .busy && writer.pendingCount == 0)
    }

    @Test("A full disk costs what was written then, and nothing before or behind", .enabled(if: SmallDisk.isAvailable))
    func fullDisk() throws {
        let disk = try SmallDisk(kibibytes: 256)
        let writer = try TapeWriter(folder: disk.path + "/tape", header: Self.header)
        var generator = SeededGenerator(seed: 9)
        let exchanges = (1...3).map { Self.exchange(UInt64($0), &generator) }
        var noise = exchanges[1]
        noise.body = (0..<100_000).map { _ in .random(in: 0...255, using: &generator) }
        writer.append(exchanges[0])
        try writer.writeBlock(atMilliseconds: 1)
        try disk.fill()
        writer.append(noise)
        #expect(throws: Failure.self) { try writer.writeBlock(atMilliseconds: 2) }
        try disk.makeRoom()
        writer.append(exchanges[2])
        try writer.writeBlock(atMilliseconds: 3)
        writer.end()
        let read = try Self.read(disk.path + "/tape")
        #expect(read.exchanges == [exchanges[0], exchanges[2]] && read.cutFiles.isEmpty)
    }

    @Test("Pseudonyms are those of RFC 4231, and need a key")
    func pseudonyms() throws {
        let pseudonyms = try Pseudonyms(key: [UInt8](repeating: 0x0B, count: 20))
        #expect(pseudonyms.pseudonym(of: "Hi There") == "b0344c61d8db3853")
        #expect(throws: Failure.self) { try Pseudonyms(key: Array("too short".utf8)) }
    }
}
