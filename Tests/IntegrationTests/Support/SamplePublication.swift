import Foundation
import Redis
import TestSupport
import Testing

/// What a recompute of the sample community leaves in a workspace, made once for all tests for each kind of store.
actor SamplePublication {
    static let shared = SamplePublication()

    /// A file or a folder below a workspace.
    private struct Item {
        var path: String
        /// The bytes of a file; nil for a folder.
        var content: Data?
        var permissions: Int
        var modified: Date
    }

    /// A key of a store in Redis.
    private struct Key {
        var name: [UInt8]
        /// The value, as `DUMP` writes it.
        var value: [UInt8]
        /// The milliseconds until the key ends; 0 for never.
        var life: Int64
    }

    private struct Copy: Sendable {
        var items: [Item]
        var keys: [Key]
    }

    private var publishing: [StoreKind: Task<Copy, any Error>] = [:]

    /// Puts the catalog into a new workspace, and the store too, or into the server at a URL.
    func put(into workspace: Workspace, server url: String?) async throws {
        let copy = try await copy(url == nil ? .folder : .redis)
        try write(copy, into: workspace)
        guard let url else { return }
        var connection = try RedisConnection(to: RedisAddress(url))
        for key in copy.keys {
            var command = RedisCommand("RESTORE")
            command.append(key.name)
            command.append("\(key.life)")
            command.append(key.value)
            _ = try connection.command(command)
        }
    }

    /// Puts a catalog and a store in a folder, with the names that the program gives them, into a workspace.
    func putWithUsualNames(into workspace: Workspace) async throws {
        var copy = try await copy(.folder)
        for index in copy.items.indices {
            let path = copy.items[index].path
            copy.items[index].path =
                path.hasPrefix("models") ? "coterie-" + path : "coterie" + path.dropFirst("catalog".count)
        }
        try write(copy, into: workspace)
    }

    private func write(_ copy: Copy, into workspace: Workspace) throws {
        for item in copy.items {
            let path = workspace.path(item.path)
            if let content = item.content {
                try content.write(to: URL(fileURLWithPath: path))
            } else {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            try FileManager.default.setAttributes(
                [.posixPermissions: item.permissions, .modificationDate: item.modified], ofItemAtPath: path)
        }
    }

    private func copy(_ kind: StoreKind) async throws -> Copy {
        if let task = publishing[kind] { return try await task.value }
        let task = Task {
            let workspace = try Workspace(kind)
            try await workspace.importSample()
            try await workspace.succeed("recompute")
            return Copy(items: try Self.items(of: workspace), keys: try Self.keys(of: workspace))
        }
        publishing[kind] = task
        return try await task.value
    }

    /// The catalog and the folder of the store; folders come before what is in them.
    private static func items(of workspace: Workspace) throws -> [Item] {
        let files = FileManager.default
        return try files.subpathsOfDirectory(atPath: workspace.folder).sorted()
            .filter { $0.hasPrefix("catalog.sqlite") || $0.hasPrefix("models") }
            .map { name in
                let path = workspace.path(name)
                let attributes = try files.attributesOfItem(atPath: path)
                let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
                return Item(
                    path: name, content: isFolder ? nil : try Data(contentsOf: URL(fileURLWithPath: path)),
                    permissions: attributes[.posixPermissions] as? Int ?? 0o600,
                    modified: attributes[.modificationDate] as? Date ?? Date())
            }
    }

    private static func keys(of workspace: Workspace) throws -> [Key] {
        guard workspace.server != nil else { return [] }
        var connection = try RedisConnection(to: RedisAddress(workspace.store))
        guard case .array(let names) = try connection.command("KEYS", "*") else { return [] }
        var keys: [Key] = []
        for case .bytes(let name) in names {
            var (dump, life) = (RedisCommand("DUMP"), RedisCommand("PTTL"))
            dump.append(name)
            life.append(name)
            guard case .bytes(let value) = try connection.command(dump),
                case .integer(let milliseconds) = try connection.command(life)
            else { continue }
            keys.append(Key(name: name, value: value, life: max(milliseconds, 0)))
        }
        return keys
    }
}
