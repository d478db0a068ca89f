import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Files that are read whole, and errors in words")
struct RegularFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test("A file is read to its end, or one byte beyond the limit", arguments: [(0, 0), (9, 9), (10, 10), (12, 11)])
    func reading(size: Int, expected: Int) throws {
        let path = folder.path + "/file"
        try Data(count: size).write(to: URL(fileURLWithPath: path))
        let contents = try RegularFile.read(path, limitBytes: 10)
        #expect(contents.bytes.count == expected)
        #expect(contents.status.st_size == size)
    }

    @Test("A pipe, a folder, a device and nothing at all are refused at once, and named")
    func others() throws {
        let pipe = folder.path + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        for (path, word) in [
            (pipe, "a pipe"), (folder.path, "a folder"), ("/dev/zero", "a device"),
            (folder.path + "/none", "No such file"),
        ] {
            let error = #expect(throws: Failure.self) { try RegularFile.read(path, limitBytes: 10) }
            #expect(error?.message.hasPrefix("\(path) cannot be read: ") == true)
            #expect(error?.message.contains(word) == true, "\(path): \(error?.message ?? "none")")
        }
    }

    private struct Row: Decodable {
        var list: [Int]
    }

    @Test("An error of Foundation becomes a sentence without its codes and dictionaries")
    func sentences() throws {
        let path = folder.path + "/none/deeper"
        let errors: [(any Error, String)] = [
            (try #require(error { _ = try Data(contentsOf: URL(fileURLWithPath: path)) }), "\(path): "),
            (
                try #require(
                    error {
                        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                    }), "No such file"
            ),
            (
                try #require(error { try FileManager.default.contentsOfDirectory(atPath: path) }), path
            ),
            (try #require(error { try JSONDecoder().decode(Row.self, from: Data("{".utf8)) }), "not JSON"),
            (
                try #require(error { try JSONDecoder().decode(Row.self, from: Data(#"{"list":[1,"x"]}"#.utf8)) }),
                "\"list[1]\" is not a whole number"
            ),
            (POSIXError(.ENOSPC), "the disk is full"), (CocoaError(.fileWriteOutOfSpace), "the disk is full"),
        ]
        for (error, words) in errors {
            let sentence = SystemWords.sentence(error)
            #expect(sentence.contains(words), "\(sentence)")
            for raw in ["CocoaError", "NSCocoa", "userInfo", "Code", "DecodingError", "POSIXError"] {
                #expect(!sentence.contains(raw), "\(sentence)")
            }
        }
    }

    private func error(_ body: () throws -> some Any) -> (any Error)? {
        do { _ = try body() } catch { return error }
        return nil
    }
}
