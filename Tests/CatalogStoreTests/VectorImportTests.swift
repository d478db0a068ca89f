import Basics
import CatalogStore
import Foundation
import Model
import TestSupport
import Testing

/// Bytes of NumPy and fvecs files.
enum VectorBytesOfTests {
    static func numpy(_ rows: [[Float]], half: Bool = false) -> [UInt8] {
        let shape = "(\(rows.count), \(rows.first?.count ?? 0))"
        var header = Array("{'descr': '<f\(half ? 2 : 4)', 'fortran_order': False, 'shape': \(shape), }".utf8)
        header += [UInt8](repeating: 32, count: 63 - (header.count + 10) % 64) + [10]
        let length = [UInt8(header.count & 255), UInt8(header.count >> 8)]
        return [0x93] + Array("NUMPY".utf8) + [1, 0] + length + header
            + rows.flatMap { $0.flatMap { half ? bytes(halfBits($0)) : bytes($0.bitPattern) } }
    }

    static func fvecs(_ rows: [[Float]]) -> [UInt8] {
        rows.flatMap { bytes(UInt32($0.count)) + $0.flatMap { bytes($0.bitPattern) } }
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    /// The bits of the halves of small whole numbers.
    private static func halfBits(_ number: Float) -> UInt16 {
        guard number != 0 else { return 0 }
        let fraction = UInt16((abs(number).significand - 1) * 1024)
        return (number < 0 ? 0x8000 : 0) | UInt16(Int(number.exponent) + 15) << 10 | fraction
    }
}

extension CatalogVectors {
    /// Returns the vector of a public photo, whatever its model.
    fileprivate func vector(ofPhoto id: String) throws -> [Float]? {
        try space().flatMap { try vector(ofPublicPhoto: id, model: $0.model) }
    }
}

extension Data {
    /// Writes to a pipe that is there already; `write(to:)` would replace it.
    fileprivate func write(toPipe path: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try handle.write(contentsOf: self)
        try handle.close()
    }
}

@Suite("Importing vectors of photos")
struct VectorImportTests {
    private let test: CatalogUnderTest

    init() throws {
        test = try CatalogUnderTest()
        try test.importing(.photos, "photo_id,visibility\na,public\nb,public\nc,private\n")
    }

    private func run(
        _ files: [(bytes: [UInt8], ids: String?)], name: String = "vectors.tsv", model: String? = "m",
        _ change: (inout ImportOptions) -> Void = { _ in }
    ) throws -> ImportSummary {
        var options = ImportOptions(rejectsPath: test.path + "-rejects")
        options.maximumRejectedShare = 1
        change(&options)
        var sources: [VectorImporter.Source] = []
        for (index, file) in files.enumerated() {
            let path = "\(test.path)-\(index)-\(name)"
            try Data(file.bytes).write(to: URL(fileURLWithPath: path))
            if let ids = file.ids { try Data(ids.utf8).write(to: URL(fileURLWithPath: path + ".ids")) }
            sources.append(.init(path: path, idsPath: file.ids.map { _ in path + ".ids" }))
        }
        return try VectorImporter(into: test.catalog, model: model, options: options).run(sources)
    }

    private func text(_ lines: String...) -> [(bytes: [UInt8], ids: String?)] {
        [(Array((lines.joined(separator: "\n") + "\n").utf8), nil)]
    }

    @Test("A pipe is read once, and from its beginning", arguments: ["tsv", "jsonl"])
    func pipe(form: String) throws {
        let count = 20_000
        let lines = (0..<count).map { form == "tsv" ? "p\($0)\t1 2" : #"{"photo_id":"p\#($0)","vector":[1,2]}"# }
        let text = (form == "tsv" ? ["photo_id\tvector"] : []) + lines
        let path = "\(test.path)-pipe"
        let made = unsafe mkfifo(path, 0o600)
        try #require(made == 0)
        let writer = Thread { try? Data((text.joined(separator: "\n") + "\n").utf8).write(toPipe: path) }
        writer.start()
        let options = ImportOptions(rejectsPath: test.path + "-rejects")
        let summary = try VectorImporter(into: test.catalog, model: "m", options: options).run([
            .init(path: path, idsPath: nil)
        ])
        #expect(summary.rows == count && summary.rejected == 0)
    }

    @Test("Text, JSON Lines, NumPy of 32 and of 16 bits, and fvecs say the same")
    func formats() throws {
        let rows: [[Float]] = [[3, 4], [-1, 0], [0, 2]]
        let inputs: [(name: String, files: [(bytes: [UInt8], ids: String?)])] = [
            ("v.tsv", text("photo_id\tvector", "a\t3 4", "b\t[-1,0]", "c\t0;2e0")),
            (
                "v.jsonl",
                text(
                    #"{"photo_id":"a","vector":[3, 4.0]}"#, #"{"photo_id":"b","vector":[-1,0]}"#,
                    #"{"photo_id":"c","vector":"0 2"}"#)
            ),
            ("v.npy", [(VectorBytesOfTests.numpy(rows), "\u{FEFF}a\nb\nc\n")]),
            ("h.npy", [(VectorBytesOfTests.numpy(rows, half: true), "a\r\nb\r\nc")]),
            ("v.fvecs", [(VectorBytesOfTests.fvecs(rows), "a\nb\nc\n")]),
        ]
        for (index, input) in inputs.enumerated() {
            let summary = try run(input.files, name: input.name)
            #expect(summary.rows == 3 && summary.written == (index == 0 ? 3 : 0), "\(input.name) \(summary)")
            #expect(summary.rejected == 0 && summary.unchanged == (index == 0 ? 0 : 3))
        }
        #expect(try test.catalog.facts.vectors.vector(ofPhoto: "a") == [0.6, 0.8])
        #expect(try test.catalog.facts.vectors.vector(ofPhoto: "b") == [-1, 0])
        #expect(try test.catalog.facts.vectors.vector(ofPhoto: "unknown") == nil)
        #expect(try test.catalog.facts.vectors.space()?.model == "m" && test.catalog.facts.vectors.count() == 3)
    }

    @Test("Photos with equal vectors are doubtful, whatever was replaced")
    func equal() throws {
        _ = try run(text("photo_id\tvector", "a\t1 0", "b\t0 1", "c\t1 0"))
        func doubts() throws -> [CatalogDoubt] { try CatalogDoubt.all(in: test.catalog.facts) }
        #expect(try doubts().map(\.rows) == ["photos with the vector of another photo"])
        #expect(try doubts().map(\.count) == [2] && ["a", "c"].contains(try doubts()[0].example))
        _ = try run(text("photo_id\tvector", "c\t1 1"))
        #expect(try doubts().isEmpty)
    }

    @Test("A changed vector replaces the earlier one, and the last of a repeated photo counts")
    func changes() throws {
        _ = try run(text("photo_id\tvector", "a\t1 0", "b\t0 1"))
        let summary = try run(text("photo_id\tvector", "a\t1 0", "b\t1 1", "b\t1 -1"))
        #expect(summary.written == 1 && summary.duplicates == 1 && summary.unchanged == 1)
        let b = try #require(try test.catalog.facts.vectors.vector(ofPhoto: "b"))
        #expect(b[0] > 0 && b[1] < 0)
        #expect(try test.catalog.removal.eraseVectors() == 2)
        #expect(
            try test.catalog.facts.vectors.vector(ofPhoto: "b") == b
                && test.catalog.facts.vectors.vector(ofPhoto: "a") == [1, 0])
    }

    @Test("If more than a tenth of the replaced vectors turn, another model made them, unless the caller knows better")
    func turned() throws {
        func lines(turned count: Int, of all: Int) -> [(bytes: [UInt8], ids: String?)] {
            let rows = (0..<all).map { "p\($0)\t\($0 < count ? "1 9" : "9 1")\n" }
            return [(Array(("photo_id\tvector\n" + rows.joined()).utf8), nil)]
        }
        try test.importing(.photos, "photo_id,visibility\np0,public\n")
        let first = (0..<200).map { "p\($0)\t9 0\n" }.joined()
        _ = try run([(Array(("photo_id\tvector\n" + first).utf8), nil)])
        #expect(throws: Failure.self) { try run(lines(turned: 21, of: 200)) }
        let kept = try test.catalog.facts.vectors.vector(ofPhoto: "p0")
        #expect(kept == [1, 0])
        let trial = try run(lines(turned: 21, of: 200)) { $0.isDryRun = true }
        #expect(trial.failure?.message.contains("21 of the 200") == true)
        #expect(try run(lines(turned: 21, of: 200)) { $0.allowsAnotherModel = true }.written == 200)
        // A tenth, or fewer than ten, are photos that changed.
        #expect(try run(lines(turned: 1, of: 200)).written == 20)
        let more = (0..<30).map { "p\($0 + 170)\t\($0 < 9 ? "1 9" : "8 1")\n" }.joined()
        #expect(try run([(Array(("photo_id\tvector\n" + more).utf8), nil)]).written == 30)
    }

    @Test("Zero, NaN, infinity, words and another dimension are rejected lines, with their place")
    func rejected() throws {
        let summary = try run(
            text("photo_id\tvector", "a\t1 0", "b\t0 0", "b\tnan 1", "b\tinf 1", "b\t1 x", "b\t1 2 3", "b\t", "\t1 2"))
        #expect(summary.rows == 1 && summary.rejected == 7)
        #expect(summary.examples.map(\.line) == [3, 4, 5, 6, 7, 8, 9])
        #expect(summary.examples[0].reason.contains("zero") && summary.examples[1].reason.contains("NaN"))
        let reasons = try #require(summary.reasonsPath)
        #expect(try String(contentsOfFile: reasons, encoding: .utf8).split(separator: "\n").count == 8)
        let binary = try run(
            [(VectorBytesOfTests.numpy([[0, 0], [1, 2]]), "a\nb\n")], name: "v.npy")
        #expect(binary.rejected == 1 && binary.examples[0].line == 1 && binary.examples[0].excerpt == "a")
    }

    @Test("Another model, another dimension, no model and uneven ids are refused, and nothing is changed")
    func refused() throws {
        func message(
            _ files: [(bytes: [UInt8], ids: String?)], _ name: String = "v.tsv", model: String? = "m"
        ) -> String {
            catalogError { _ = try run(files, name: name, model: model) }?.message ?? "none"
        }
        #expect(message(text("photo_id\tvector", "a\t1 0"), model: nil).contains("--model-name"))
        _ = try run(text("photo_id\tvector", "a\t1 0"))
        #expect(message(text("photo_id\tvector", "a\t0 1"), model: "other").contains("--replace"))
        #expect(message(text("photo_id\tvector", "a\t1 0 0")).contains("have 2"))
        let numpy = VectorBytesOfTests.numpy([[0, 1], [1, 1]])
        #expect(message([(numpy, nil)], "v.npy").contains("--ids"))
        #expect(message([(numpy, "a\n")], "v.npy").contains("more rows"))
        #expect(message([(numpy, "photo_id\na\nb\n")], "v.npy").contains("line 1: this line names columns"))
        #expect(message([(numpy, "a\nb\nc\n")], "v.npy").contains("2 rows for 3 ids"))
        #expect(message([(Array(numpy.dropLast()), "a\nb\n")], "v.npy").contains("ends in row 2 of 2"))
        #expect(message([(Array(VectorBytesOfTests.fvecs([[1, 2]]).dropLast()), "a\n")], "v.fvecs").contains("row 1"))
        #expect(
            try test.catalog.facts.vectors.vector(ofPhoto: "a") == [1, 0] && test.catalog.facts.vectors.count() == 1)
    }

    @Test("Replacing takes another model and dimension; a dry run changes nothing")
    func replacing() throws {
        _ = try run(text("photo_id\tvector", "a\t1 0", "b\t0 1"))
        let dry = try run(text("photo_id\tvector", "a\t0 1"), model: "m") { $0.isDryRun = true }
        #expect(dry.written == 1)
        #expect(try test.catalog.facts.vectors.vector(ofPhoto: "a") == [1, 0])
        let summary = try run(text("photo_id\tvector", "a\t1 0 0"), model: "other") { $0.replaces = true }
        #expect(summary.removed == 1)
        #expect(
            try test.catalog.facts.vectors.vector(ofPhoto: "a") == [1, 0, 0]
                && test.catalog.facts.vectors.vector(ofPhoto: "b") == nil)
        let folder = FileTree.folder(of: test.path)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("-vectors-") }
        #expect(files.count == 1)
    }

    @Test("A removed photo's vector is gone: at once for readers, and from the file when it is written anew")
    func removal() throws {
        _ = try run(text("photo_id\tvector", "a\t1 0", "b\t0 1"))
        _ = try test.catalog.removal.remove(.photos, [["b"]])
        #expect(try test.catalog.facts.vectors.vector(ofPhoto: "b") == nil && test.catalog.facts.vectors.count() == 1)
        let before = try Data(contentsOf: URL(fileURLWithPath: #require(try test.catalog.facts.vectors.path())))
        #expect(try test.catalog.removal.eraseVectors() == 1)
        let after = try Data(contentsOf: URL(fileURLWithPath: #require(try test.catalog.facts.vectors.path())))
        #expect(after.count < before.count)
        // The photo comes back without it.
        try test.importing(.photos, "photo_id\nb\n")
        #expect(
            try test.catalog.facts.vectors.vector(ofPhoto: "b") == nil
                && test.catalog.facts.vectors.vector(ofPhoto: "a") == [1, 0])
    }

    @Test("A truncated file and a flipped bit are found, and no wrong vector is answered")
    func damage() throws {
        _ = try run(text("photo_id\tvector", "a\t1 0", "b\t0 1"))
        let path = try #require(try test.catalog.facts.vectors.path())
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        for byte in 64..<whole.count {
            var damaged = whole
            damaged[byte] ^= 4
            try damaged.write(to: URL(fileURLWithPath: path))
            let error = catalogError {
                _ = try test.catalog.facts.vectors.vector(ofPhoto: "a")
                _ = try test.catalog.facts.vectors.vector(ofPhoto: "b")
            }
            #expect(error?.code == .badData)
        }
        try whole.dropLast().write(to: URL(fileURLWithPath: path))
        #expect(
            catalogError { _ = try test.catalog.facts.vectors.vector(ofPhoto: "a") }?.message.contains("damaged")
                == true)
        try FileManager.default.removeItem(atPath: path)
        #expect(catalogError { _ = try test.catalog.facts.vectors.vector(ofPhoto: "a") }?.code == .badData)
    }
}
