package import Basics
import Model
import Redis

extension RedisStore {
    /// The number of groups whose lists are asked for in a turn.
    private static let groupsPerTurn = 256

    /// Returns the first key that a loaded version had and that the server lacks now, or `nil` if none is missing.
    ///
    /// Redis can evict any key of a version, and nobody would notice before the next daemon starts. Each turn asks for
    /// all keys but lists, and for the lists of some groups, so that successive turns ask for all of them.
    package func missingPart(of loaded: LoadedVersion, turn: Int) throws(Failure) -> String? {
        let version = loaded.manifest.version
        guard let shape = VersionShape(try ask(RedisCommand("HGETALL", layout.shape(version)))) else {
            return layout.shape(version)
        }
        let chunks = shape.chunkCounts.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { name, count in
            (0..<count).map { layout.stem(version, name) + String($0) }
        }
        let lists = lists(of: loaded.model, in: version, turn: turn)
        return try firstMissing(of: ([layout.manifest(version)] + chunks + lists)[...])
    }

    /// Returns the keys of the lists of a turn; groups without neighbours have none.
    private func lists(of model: ModelVersion, in version: VersionName, turn: Int) -> [String] {
        let turns = max(1, (model.groupCount + Self.groupsPerTurn - 1) / Self.groupsPerTurn)
        let first = turn % turns * Self.groupsPerTurn
        let groups = first..<min(first + Self.groupsPerTurn, model.groupCount)
        return model.relations.flatMap { relation -> [String] in
            let stem = layout.stem(version, .init(relation))
            return groups.filter { !model.neighbours(of: $0, by: relation).isEmpty }.map { stem + String($0) }
        }
    }

    /// Returns the first key that does not exist, found by halving.
    private func firstMissing(of keys: ArraySlice<String>) throws(Failure) -> String? {
        guard !keys.isEmpty else { return nil }
        var command = RedisCommand("EXISTS")
        for key in keys { command.append(key) }
        guard try ask(command) != .integer(Int64(keys.count)) else { return nil }
        guard keys.count > 1 else { return keys.first }
        let middle = keys.startIndex + keys.count / 2
        if let missing = try firstMissing(of: keys[..<middle]) { return missing }
        return try firstMissing(of: keys[middle...])
    }
}
