import Basics
import Glibc
import TestSupport
import Testing

@Suite("Open files and names of files")
struct OpenFileTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func content(_ name: String) throws -> [UInt8]? {
        try FileTree.content(of: "\(folder.path)/\(name)", limit: 100)
    }

    @Test("A file that is written anew is empty, private, and of one writer at a time")
    func rewriting() throws {
        let path = folder.path + "/a"
        try FileTree.create(path, content: [1, 2, 3], .processEnd)
        #expect(unsafe chmod(path, 0o644) == 0)
        do {
            let file = try OpenFile(path, for: .rewriting)
            #expect(throws: Failure(.busy, "another process writes \(path): wait for it")) {
                _ = try OpenFile(path, for: .rewriting)
            }
            let byteCount = try file.byteCount()
            #expect(byteCount == 0 && FileTree.status(of: path)?.st_mode == S_IFREG | 0o600)
            try file.append([4, 5, 6])
            try file.cut(to: 2)
            try file.append([7])
            let (all, last) = (try file.bytes(count: 9), try file.bytes(count: 1, at: 2))
            #expect(all == [4, 5, 7] && last == [7])
        }
        #expect(try content("a") == [4, 5, 7])
        // The lock ends with the value.
        _ = try OpenFile(path, for: .rewriting)
        #expect(try content("a") == [])
    }

    @Test(
        "What root creates in the folder of a user belongs to that user",
        .enabled(if: geteuid() == 0, "only root gives files away"),
        arguments: [OpenFile.Purpose.creating, .creatingPrivate, .rewriting, .appending, .locking])
    func owners(purpose: OpenFile.Purpose) throws {
        try #require(unsafe chown(folder.path, 4321, 4322) == 0)
        let path = folder.path + "/a"
        _ = try OpenFile(path, for: purpose)
        let status = try #require(FileTree.status(of: path))
        #expect(status.st_uid == 4321 && status.st_gid == 4322)
    }

    @Test("A failure has the kind that the reader of the file names")
    func missing() throws {
        let path = folder.path + "/a"
        for code in [Failure.Code.unavailable, .fileFailed] {
            let error = #expect(throws: Failure.self) { _ = try OpenFile(path, for: .reading, unreadable: code) }
            #expect(error == Failure(code, "cannot open \(path): No such file or directory"))
        }
        #expect(try content("a") == nil && FileTree.byteCount(of: path) == nil && !FileTree.exists(path))
    }

    @Test("A moved file replaces another one, and a folder goes with its files")
    func moving() throws {
        let inner = folder.path + "/b/c"
        try FileTree.makeDirectory(inner)
        #expect(try FileTree.names(in: inner).isEmpty && FileTree.names(in: inner + "/none").isEmpty)
        try FileTree.create(inner + "/one", content: [1], .powerLoss)
        try FileTree.create(inner + "/two", content: [2], .processEnd)
        try FileTree.move(inner + "/one", to: inner + "/two", .powerLoss)
        #expect(try FileTree.names(in: inner) == ["two"] && content("b/c/two") == [1])
        #expect(FileTree.folder(of: inner + "/two") == inner)
        #expect(FileTree.folder(of: "two") == "." && FileTree.folder(of: "/two") == "/")
        try FileTree.removeDirectory(inner)
        #expect(!FileTree.exists(inner) && FileTree.exists(folder.path + "/b"))
        try FileTree.remove(inner)
    }
}
