import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A catalog in a place where its log is not safe", .aFewAtATime)
struct CatalogPlaceTests {
    /// Whether a process may have mounts of its own.
    private static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "--mount", "mount", "--bind", "/dev/null", "/proc/self/limits"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    /// Runs the program in a process with mounts of its own, after a command that mounts something.
    private func run(_ workspace: Workspace, after mount: String, _ arguments: [String]) async throws -> CommandRun {
        try await RunningCommand(
            "/usr/bin/env",
            ["unshare", "--mount", "sh", "-c", mount + " && exec \"$0\" \"$@\"", Checkout.program] + arguments,
            environment: workspace.environment, input: nil, in: workspace.folder
        ).wait()
    }

    @Test(
        "On a network file system, an import and check say so",
        .enabled(if: canMount, "mounting takes root"))
    func shared() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        // The kernel's table of mounts for that process alone, as it is where the folder is on NFS.
        let table = """
            21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 21 0:40 / \(workspace.folder) rw - nfs4 server:/data rw,vers=4.2

            """
        let mount = "mount --bind \(try workspace.write(table, to: "mounts")) /proc/$$/mountinfo"
        let import_ = try await run(workspace, after: mount, ["import", "users", Checkout.sample("users")])
        #expect(import_.exitCode == 0 && import_.errors.contains("is on nfs4, where"), "\(import_.testDescription)")
        let check = try await run(workspace, after: mount, ["check"])
        #expect(check.text.contains("is on nfs4, where"), "\(check.testDescription)")
        #expect(check.text.contains("move it to a disk of this machine"), "\(check.testDescription)")
    }

    @Test(
        "A file that is mounted alone is refused by what writes, and check says that it is bad",
        .enabled(if: canMount, "mounting takes root"))
    func mountedFile() async throws {
        let workspace = try Workspace()
        try await workspace.importSample()
        let kept = workspace.path("kept.sqlite")
        try FileManager.default.copyItem(atPath: workspace.catalog, toPath: kept)
        let before = try Data(contentsOf: URL(fileURLWithPath: kept))
        let mount = "mount --bind \(kept) \(workspace.catalog)"
        for command in [["import", "users", Checkout.sample("users")], ["hide", "macro-mondays"], ["serve"]] {
            let run = try await run(workspace, after: mount, command)
            #expect(run.exitCode == 1, "\(run.testDescription)")
            #expect(run.errors.contains("is mounted as a single file"), "\(run.testDescription)")
        }
        let check = try await run(workspace, after: mount, ["check"])
        #expect(check.exitCode != 0 && check.text.contains("mount its folder instead"), "\(check.testDescription)")
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == before)
    }

    @Test(
        "An import on a disk that gets full at any moment changes nothing, or is whole, with its index", .drill,
        .enabled(if: SmallDisk.isAvailable, "mounting a small disk takes root"), arguments: [6, 9, 12, 16, 24])
    func smallDisk(mebibytes: Int) async throws {
        let (workspace, disk) = (try Workspace(), try SmallDisk(kibibytes: mebibytes << 10))
        let rows = 200_000
        let text = (0..<rows).map { "g\($0 % 500)\tu\($0 % 40_009)\n" }.joined()
        let file = try workspace.write("group_id\tuser_id\n" + text, to: "memberships.tsv")
        let catalog = disk.path + "/catalog.sqlite"
        let run = try await workspace.run("import", "memberships", file, "--catalog", catalog)
        let database = try Database(path: catalog, mode: .readOnly)
        let indexes = try database.integer(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'memberships' AND sql IS NOT NULL")
        let count = try database.integer("SELECT count(*) FROM memberships")
        #expect(indexes == 1)
        #expect(count == (run.exitCode == 0 ? Int64(rows) : 0), "\(run.testDescription)")
        guard run.exitCode != 0 else { return }
        #expect(run.exitCode == 1 && run.errors.contains("full"), "\(run.testDescription)")
        #expect(try database.integer("SELECT count(*) FROM users") == 0)
    }
}
