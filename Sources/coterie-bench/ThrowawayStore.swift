import Basics
import FoundationEssentials
import Glibc
import ModelStore
import Redis

/// A store of this process alone in a folder or a Redis server; `remove` deletes everything in it.
struct ThrowawayStore {
    let store: any VersionStore
    private let location: StoreLocation
    /// A new folder for the store itself, or for the cached versions of a store in Redis.
    private let folder: String
    /// The prefix of the keys in Redis.
    private let prefix: String

    /// Creates a store in a new folder within `text`, or in Redis if `text` is `redis://…`.
    ///
    /// Nil means the system's temporary folder.
    init(_ text: String?) throws {
        let name = "coterie-bench-\(getpid())"
        location = try StoreLocation(text ?? FileManager.default.temporaryDirectory.path)
        prefix = name + ":"
        switch location {
        case .folder(let parent):
            folder = parent + "/" + name
            store = FolderStore(folder)
        case .redis(let address):
            folder = FileManager.default.temporaryDirectory.path + "/" + name
            store = RedisStore(address, cacheDirectory: folder, prefix: prefix)
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// The kind of store for reports: `folder` or `redis`.
    var kind: String {
        switch location {
        case .folder: "folder"
        case .redis: "redis"
        }
    }

    /// Returns the bytes received so far: the sizes of the folder's files, or all input of the Redis server.
    func bytesReceived() throws -> Int {
        switch location {
        case .folder:
            let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
            return files.reduce(0) { sum, file in
                guard let status = FileTree.status(of: folder + "/" + file), status.st_mode & S_IFMT == S_IFREG else {
                    return sum
                }
                return sum + Int(status.st_size)
            }
        case .redis(let address):
            var connection = try RedisConnection(to: address)
            let text = try connection.command("INFO", "stats").text ?? ""
            let field = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("total_net_input_bytes:") }
            return field.flatMap { Int($0.drop { $0 != ":" }.dropFirst()) } ?? 0
        }
    }

    /// Writes bytes in the plainest way: a file with fsync in a folder, or pipelined values of 1 MiB in Redis.
    func writePlainly(byteCount: Int) throws {
        let portion = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 0x9E37_79B1 &>> 13) }
        switch location {
        case .folder: try writeFile(folder + "/plain", portion, byteCount)
        case .redis(let address):
            var connection = try RedisConnection(to: address)
            for start in stride(from: 0, to: byteCount, by: portion.count) {
                var command = RedisCommand("SET", prefix + "plain:\(start)")
                command.append(portion.prefix(byteCount - start))
                try connection.pipeline(command, window: 64, adapt: { $0 }) { _ throws(RedisError) in }
            }
            try connection.finishPipeline(adapt: { $0 }) { _ throws(RedisError) in }
        }
    }

    private func writeFile(_ path: String, _ portion: [UInt8], _ byteCount: Int) throws(Failure) {
        let file = try OpenFile(path, for: .rewriting)
        for start in stride(from: 0, to: byteCount, by: portion.count) {
            try file.append(portion.prefix(byteCount - start))
        }
        try file.synchronize()
    }

    /// Deletes the folder and the keys in Redis.
    func remove() throws {
        try FileManager.default.removeItem(atPath: folder)
        guard case .redis(let address) = location else { return }
        var connection = try RedisConnection(to: address)
        var cursor = "0"
        repeat {
            let reply = try connection.command("SCAN", cursor, "MATCH", prefix + "*", "COUNT", "1000")
            guard case .array(let parts) = reply, parts.count == 2, let next = parts[0].text,
                case .array(let keys) = parts[1]
            else { throw Failure(.badData, "\(address) did not list its keys") }
            if !keys.isEmpty {
                var command = RedisCommand("UNLINK")
                for key in keys { if case .bytes(let bytes) = key { command.append(bytes) } }
                _ = try connection.command(command)
            }
            cursor = next
        } while cursor != "0"
    }
}
