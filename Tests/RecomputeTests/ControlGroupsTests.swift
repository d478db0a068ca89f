import Foundation
import TestSupport
import Testing

@testable import Recompute

@Suite("Limits of control groups, and processors")
struct ControlGroupsTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Writes the files of a machine of its own.
    private func machine(_ files: [String: String]) throws -> String {
        for (path, text) in files {
            let url = URL(fileURLWithPath: "\(folder.path)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("\(text)\n".utf8).write(to: url)
        }
        return folder.path
    }

    private static let mebibyte = 1 << 20

    @Test("Of version 2, the least room of a group and those above it counts")
    func version2() throws {
        let root = try machine([
            "proc/meminfo": "MemTotal: 32000000 kB\nMemAvailable: 23803904 kB",
            "proc/self/cgroup": "0::/a.slice/b.service/c",
            "sys/fs/cgroup/a.slice/memory.max": "\(500 << 20)", "sys/fs/cgroup/a.slice/memory.current": "\(100 << 20)",
            "sys/fs/cgroup/a.slice/b.service/memory.max": "\(300 << 20)",
            "sys/fs/cgroup/a.slice/b.service/memory.current": "\(60 << 20)",
            "sys/fs/cgroup/a.slice/b.service/memory.stat": "anon 1\nfile \(50 << 20)\nshmem 1",
            "sys/fs/cgroup/a.slice/b.service/c/memory.max": "max",
            "sys/fs/cgroup/a.slice/b.service/c/memory.current": "1",
            "sys/fs/cgroup/a.slice/cpu.max": "150000 100000", "sys/fs/cgroup/a.slice/b.service/cpu.max": "max 100000",
            "proc/self/status": "Name: x\nCpus_allowed_list:\t0-3,8,10-11",
        ])
        #expect(AvailableMemory.bytes(root: root) == 290 << 20)
        #expect(ControlGroups(root: root).processors == 1.5)
        #expect(AvailableProcessors.count(root: root) == 2)
    }

    @Test("Of version 1, the same, also in a container that sees the path of its machine", arguments: [true, false])
    func version1(isInContainer: Bool) throws {
        let path = isInContainer ? "" : "/docker/4711"
        let root = try machine([
            "proc/meminfo": "MemAvailable: 23803904 kB",
            "proc/self/cgroup": "12:cpuset:/x\n5:memory:/docker/4711\n4:cpu,cpuacct:/docker/4711\n0::/",
            "sys/fs/cgroup/memory\(path)/memory.limit_in_bytes": "\(300 << 20)",
            "sys/fs/cgroup/memory\(path)/memory.usage_in_bytes": "\(100 << 20)",
            "sys/fs/cgroup/memory\(path)/memory.stat": "cache 7\ntotal_cache \(40 << 20)",
            "sys/fs/cgroup/cpu,cpuacct\(path)/cpu.cfs_quota_us": "50000",
            "sys/fs/cgroup/cpu,cpuacct\(path)/cpu.cfs_period_us": "100000",
            "proc/self/status": "Cpus_allowed_list: 0-7",
        ])
        #expect(AvailableMemory.bytes(root: root) == 240 << 20)
        #expect(AvailableProcessors.count(root: root) == 1)
    }

    @Test("Without limits, the memory of the machine and the processors of the process count")
    func none() throws {
        let root = try machine([
            "proc/meminfo": "MemAvailable: 1024 kB", "proc/self/cgroup": "4:cpu:/\n5:memory:/a\n0::/../../b",
            "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712",
            "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "5",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            "proc/self/status": "Cpus_allowed_list: 2",
        ])
        #expect(AvailableMemory.bytes(root: root) == Self.mebibyte)
        #expect(AvailableProcessors.count(root: root) == 1)
        #expect(AvailableMemory.bytes(root: folder.path + "/nowhere") == nil)
    }

    @Test("The processors that a process is bound to are counted on this machine")
    func here() {
        #expect((1...Int(sysconf(Int32(_SC_NPROCESSORS_CONF)))).contains(AvailableProcessors.count()))
    }
}
