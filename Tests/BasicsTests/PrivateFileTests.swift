import Basics
import Foundation
import Glibc
import TestSupport
import Testing

@Suite("Files that only their owner may read")
struct PrivateFileTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.path + "/private" }

    init() throws { folder = try TemporaryDirectory() }

    /// The ways to write a file.
    enum Way: CaseIterable {
        case created, createEmpty, opened, emptied, write

        /// Writes the letter "n", or nothing; returns false if the file is refused.
        func write(_ path: String) -> Bool {
            let descriptor: CInt?
            switch self {
            case .created: descriptor = try? PrivateFile.created(path)
            case .createEmpty: return PrivateFile.createEmpty(path)
            case .opened: descriptor = try? PrivateFile.opened(path)
            case .emptied: descriptor = try? PrivateFile.emptied(path)
            case .write: return (try? PrivateFile.write(Array("n".utf8), to: path)) != nil
            }
            guard let descriptor else { return false }
            defer { close(descriptor) }
            return Descriptor.write(Array("n".utf8), to: descriptor)
        }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(unsafe lstat(path, &status) == 0)
        return status
    }

    @Test("No link is followed, and no file with a second name is written", arguments: Way.allCases)
    func links(way: Way) throws {
        let target = folder.path + "/target"
        for isSymbolic in [true, false] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: target))
            try #require(unsafe chmod(target, 0o644) == 0)
            _ = unsafe unlink(path)
            try #require(unsafe isSymbolic ? symlink(target, path) == 0 : link(target, path) == 0)
            _ = way.write(path)
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "old")
            #expect(try status(target).st_mode & 0o777 == 0o644)
        }
    }

    @Test("Others may not read the file afterwards, whoever could before", arguments: Way.allCases)
    func modes(way: Way) throws {
        #expect(way.write(path))
        #expect(try status(path).st_mode & 0o777 == 0o600)
        guard way != .createEmpty else { return #expect(!way.write(path)) }
        try Data("old, and longer".utf8).write(to: URL(fileURLWithPath: path))
        try #require(unsafe chmod(path, 0o666) == 0)
        #expect(way.write(path))
        #expect(try status(path).st_mode & 0o777 == 0o600)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text == (way == .opened ? "nld, and longer" : "n"))
    }

    @Test("A database is neither replaced nor emptied", arguments: Way.allCases)
    func databases(way: Way) throws {
        let start = Data("SQLite format 3\0 and more".utf8)
        try start.write(to: URL(fileURLWithPath: path))
        #expect(!way.write(path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == start)
    }

    @Test("A database that this process has open is refused, and keeps its locks")
    func openDatabase() throws {
        try Data("SQLite format 3\0 and more".utf8).write(to: URL(fileURLWithPath: path))
        let descriptor = unsafe open(path, O_RDWR)
        defer { close(descriptor) }
        var lock = flock()
        (lock.l_type, lock.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
        try #require(unsafe fcntl(descriptor, F_SETLK, &lock) == 0)
        for way in Way.allCases { #expect(!way.write(path)) }
        // The system lists the locks of all processes, each with the number of its file.
        let node = try status(path).st_ino
        #expect(try String(contentsOfFile: "/proc/locks", encoding: .utf8).contains(":\(node) "))
    }

    @Test("The draft that a killed process left is written again; one that is written now is left alone")
    func drafts() throws {
        try Data("left by a killed process".utf8).write(to: URL(fileURLWithPath: path + ".draft"))
        try PrivateFile.write([1], to: path)
        #expect(try FileTree.names(in: folder.path) == ["private"])
        let draft = try OpenFile(path + ".draft", for: .rewriting)
        #expect(throws: Failure(.busy, "another process writes \(draft.path): wait for it")) {
            try PrivateFile.write([2], to: path)
        }
        #expect(try FileTree.content(of: path, limit: 9) == [1])
        try draft.append([3])
    }

    @Test("A reader that is another user gets the permissions that were asked for")
    func readable() throws {
        let mask = umask(0o077)
        defer { umask(mask) }
        try PrivateFile.write([], to: path, mode: 0o644)
        #expect(try status(path).st_mode & 0o777 == 0o644)
    }

    @Test(
        "What root writes into the folder of a user belongs to that user, and can be written again",
        .enabled(if: geteuid() == 0, "only root gives files away"), arguments: Way.allCases)
    func owners(way: Way) throws {
        let home = folder.path + "/home"
        #expect(PrivateFile.makeFolder(home) && PrivateFile.makeFolder(home))
        try #require(unsafe chown(home, 4321, 4322) == 0)
        #expect(way.write(home + "/file"))
        #expect(try status(home + "/file").st_uid == 4321 && status(home + "/file").st_gid == 4322)
        if way != .createEmpty { #expect(way.write(home + "/file")) }
        #expect(PrivateFile.makeFolder(home + "/folder"))
        #expect(try status(home + "/folder").st_uid == 4321 && status(home + "/folder").st_mode & 0o777 == 0o700)
        // The file of a third user is nobody's business, unless it is replaced as a whole.
        try #require(unsafe chown(home + "/file", 999, 999) == 0)
        if way == .opened || way == .emptied { #expect(!way.write(home + "/file")) }
    }

    @Test("A new file has the permissions of its model, and its own if the model is gone")
    func model() throws {
        let model = folder.path + "/model"
        #expect(PrivateFile.createEmpty(model))
        try #require(unsafe chmod(model, 0o640) == 0)
        #expect(PrivateFile.createEmpty(path, as: model))
        #expect(try status(path).st_mode & 0o777 == 0o640)
        #expect(PrivateFile.createEmpty(folder.path + "/other", as: folder.path + "/none"))
        #expect(try status(folder.path + "/other").st_mode & 0o777 == 0o600)
    }

    @Test("A device is written as it is")
    func device() throws {
        close(try PrivateFile.emptied("/dev/null"))
        #expect(try status("/dev/null").st_mode & 0o777 == 0o666)
    }
}
