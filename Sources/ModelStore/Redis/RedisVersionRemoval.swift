import Model
import Redis

/// Removes the keys of versions that are not listed.
enum RedisVersionRemoval {
    private static let keysPerCommand = 512
    private static let window = 16

    /// Removes the keys of all versions in the set `incoming`; the lease says that nobody is writing them.
    static func removeUnlisted(
        _ layout: RedisLayout, _ connection: inout StoreConnection, lease: inout PublisherLease
    ) throws(StoreError) {
        guard case .array(let members) = try connection.ask("SMEMBERS", layout.incoming) else { return }
        for member in members {
            // What is no name of a version was not written by this program, and no keys follow from it.
            guard let text = member.text, let version = try? VersionName(text) else { continue }
            try remove(version, layout, &connection, lease: &lease)
        }
    }

    /// Removes the keys of one version, by their numbers: nothing searches the server for them.
    static func remove(
        _ version: VersionName, _ layout: RedisLayout, _ connection: inout StoreConnection,
        lease: inout PublisherLease
    ) throws(StoreError) {
        var command = RedisCommand("UNLINK", layout.manifest(version))
        if let shape = VersionShape(try connection.ask("HGETALL", layout.shape(version))) {
            for (stem, count) in shape.numberedKeys(version, layout) {
                for number in 0..<count {
                    command.appendKey(stem, number)
                    guard command.wordCount > keysPerCommand else { continue }
                    try connection.push(command, window: window) { _ in }
                    if lease.renewal(&command) { try connection.push(command, window: window) { _ in } }
                    command.replace(with: "UNLINK")
                }
            }
        }
        if command.wordCount > 1 { try connection.push(command, window: window) { _ in } }
        try connection.finish { _ in }
        try lease.forget(version, &connection)
    }
}
