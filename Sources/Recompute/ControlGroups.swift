import Basics
import Glibc

/// The limits that control groups set on a process, of version 1 and of version 2.
///
/// A limit of any group above the process's own counts as well: a container, a slice, a whole session may have one.
package struct ControlGroups {
    /// The folder that stands for `/`; another one in tests.
    private let root: String
    /// The number of the process, or `self`.
    private let process: String

    init(root: String) { (self.root, process) = (root, "self") }

    package init(process: String = "self") { (root, self.process) = ("", process) }

    /// The bytes of memory that the limits leave, or nil if there is no limit.
    var memoryBytes: Int? { memory.map { max(0, $0.limit - $0.used) }.min() }

    /// The bytes of memory that each limited group uses, without the files that it caches, and its limit.
    package var memory: [(used: Int, limit: Int)] {
        folders(ofVersion2: true, "memory").compactMap { folder in
            memory(folder, limit: "memory.max", use: "memory.current", cached: "file ")
        }
            + folders(ofVersion2: false, "memory").compactMap { folder in
                memory(folder, limit: "memory.limit_in_bytes", use: "memory.usage_in_bytes", cached: "total_cache ")
            }
    }

    /// The processors whose time the quotas allow to use, such as 1.5, or nil if there is no quota.
    var processors: Double? {
        let second = folders(ofVersion2: true, "cpu").compactMap { folder -> Double? in
            let words = RegularFile.text(folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace) ?? []
            guard words.count == 2, let quota = Double(words[0]), let period = Double(words[1]), period > 0 else {
                return nil
            }
            return quota / period
        }
        let first = folders(ofVersion2: false, "cpu").compactMap { folder -> Double? in
            guard let quota = number(folder + "/cpu.cfs_quota_us"), quota > 0,
                let period = number(folder + "/cpu.cfs_period_us"), period > 0
            else { return nil }
            return Double(quota) / Double(period)
        }
        return (second + first).min()
    }

    /// Returns the folders of the process's group and of all groups above it that have a controller.
    private func folders(ofVersion2 isVersion2: Bool, _ controller: String) -> [String] {
        let lines = RegularFile.text(root + "/proc/\(process)/cgroup")?.split(separator: "\n") ?? []
        for line in lines {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let controllers = fields[1].split(separator: ",").map(String.init)
            guard isVersion2 ? controllers.isEmpty && fields[0] == "0" : controllers.contains(controller) else {
                continue
            }
            let mounts = isVersion2 ? [""] : ["/\(controller)", "/\(fields[1])"]
            return Set(mounts).flatMap { mount in
                Self.ancestors(of: fields[2]).map { "\(root)/sys/fs/cgroup\(mount)\($0)" }
            }
        }
        return []
    }

    /// Returns a group and those above it: `/a/b`, `/a` and the empty path.
    ///
    /// In a container the path may be one of the machine's, which is not there: then only the container's own root is.
    private static func ancestors(of path: Substring) -> [String] {
        let names = path.split(separator: "/").filter { $0 != ".." }
        return (0...names.count).reversed().map { count in names.prefix(count).map { "/\($0)" }.joined() }
    }

    private func memory(_ folder: String, limit: String, use: String, cached: String) -> (used: Int, limit: Int)? {
        guard let most = number("\(folder)/\(limit)"), let now = number("\(folder)/\(use)") else { return nil }
        // Cached files count as used there, but give way.
        let line = RegularFile.text(folder + "/memory.stat")?.split(separator: "\n").first { $0.hasPrefix(cached) }
        let reclaimable = line.flatMap { Int($0.dropFirst(cached.count)) } ?? 0
        return (max(0, now - reclaimable), most)
    }

    private func number(_ path: String) -> Int? {
        RegularFile.text(path).flatMap { Int($0.split(separator: "\n").first ?? "") }
    }
}

/// The processors that this process may use.
package enum AvailableProcessors {
    /// Returns the number of processors that the process may run on, as far as its quota allows; at least 1.
    package static func count() -> Int { count(root: "") }

    static func count(root: String) -> Int {
        let allowed = RegularFile.text(root + "/proc/self/status").flatMap(affinity)
        let processors = allowed ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let quota = ControlGroups(root: root).processors.map { Int(min($0, 65_536).rounded(.up)) }
        return max(1, min(processors, quota ?? processors))
    }

    /// Returns the number of processors in a line such as `Cpus_allowed_list: 0-3,8`.
    private static func affinity(_ status: String) -> Int? {
        let name = "Cpus_allowed_list:"
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        let ranges = line.dropFirst(name.count).drop(while: \.isWhitespace).split(separator: ",")
        let counts = ranges.map { range in
            let ends = range.split(separator: "-").compactMap { Int($0) }
            return ends.isEmpty ? 0 : max(0, (ends.last ?? 0) - (ends.first ?? 0) + 1)
        }
        let count = counts.reduce(0, +)
        return count > 0 ? count : nil
    }
}
