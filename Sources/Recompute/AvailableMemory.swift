import Glibc

/// How much memory this process can still take, in bytes.
enum AvailableMemory {
    /// The least of what the kernel says is available and what the control group allows; nil if neither is known.
    static func bytes() -> Int? {
        [fromKernel(), fromControlGroup()].compactMap { $0 }.min()
    }

    private static func fromKernel() -> Int? {
        guard let text = contents(of: "/proc/meminfo") else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("MemAvailable:") }
        guard let kibibytes = line?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
        return kibibytes * 1024
    }

    /// Version 2 of control groups, as systemd's MemoryMax sets it.
    private static func fromControlGroup() -> Int? {
        guard let line = contents(of: "/proc/self/cgroup")?.split(separator: "\n").first(where: { $0.hasPrefix("0::") })
        else { return nil }
        let folder = "/sys/fs/cgroup" + line.dropFirst(3)
        func number(_ name: String) -> Int? {
            contents(of: folder + "/" + name).flatMap { Int($0.split(separator: "\n").first ?? "") }
        }
        guard let most = number("memory.max"), let now = number("memory.current") else { return nil }
        // Cached files count as used there, but give way.
        let cached = contents(of: folder + "/memory.stat")?.split(separator: "\n").first { $0.hasPrefix("file ") }
        let reclaimable = cached.flatMap { Int($0.dropFirst(5)) } ?? 0
        return max(0, most - max(0, now - reclaimable))
    }

    private static func contents(of path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
