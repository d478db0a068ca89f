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

    @Test("A new file is open to whom its folder is; a private one to a group that may write to the folder")
    func sharing() throws {
        let modes: [(folder: mode_t, new: mode_t, own: mode_t, lock: mode_t)] = [
            (0o700, 0o400, 0o400, 0o600), (0o755, 0o444, 0o400, 0o644), (0o750, 0o440, 0o400, 0o640),
            (0o770, 0o440, 0o440, 0o660), (0o1777, 0o444, 0o400, 0o644),
        ]
        for (number, mode) in modes.enumerated() {
            let path = "\(folder.path)/\(number)"
            try FileTree.makeDirectory(path)
            try #require(unsafe chmod(path, mode.folder) == 0)
            func made(_ name: String, _ purpose: OpenFile.Purpose) throws -> mode_t? {
                _ = try OpenFile("\(path)/\(name)", for: purpose)
                return FileTree.status(of: "\(path)/\(name)").map { $0.st_mode & 0o7777 }
            }
            #expect(try made("new", .creating) == mode.new && made("own", .creatingPrivate) == mode.own)
            #expect(try made("lock", .locking) == mode.lock && made("list", .appending) == mode.lock)
            for _ in 0..<2 {
                try FileTree.makeSharedDirectory(path + "/inner")
                let inner = FileTree.status(of: path + "/inner").map { $0.st_mode & 0o777 }
                #expect(inner == (mode.folder == 0o1777 ? 0o755 : mode.folder))
                // An existing one is shared again.
                try #require(unsafe chmod(path + "/inner", 0o700) == 0)
            }
            // What a link leads to is no file of the folder.
            try #require(unsafe symlink(path + "/own", path + "/link") == 0)
            #expect(throws: Failure.self) { _ = try OpenFile(path + "/link", for: .locking) }
        }
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
