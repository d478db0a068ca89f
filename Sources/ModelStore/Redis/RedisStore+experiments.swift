import Redis

extension RedisStore {
    /// The text of the site's experiments.
    public func experiments() throws(StoreError) -> [UInt8]? {
        switch try ask(RedisCommand("GET", layout.experiments)) {
        case .null: return nil
        case .bytes(let text) where text.count <= Self.experimentsByteLimit: return text
        default: throw StoreError(.corrupt, "\(layout.experiments) in \(location) is not the text of experiments")
        }
    }

    /// Replaces the text of the site's experiments, in one atomic step.
    public func setExperiments(_ text: [UInt8], replacing known: [UInt8]?) throws(StoreError) -> Bool {
        // The question may be asked twice: then the new text is there already.
        let script = """
            local found = redis.call('GET', KEYS[1]) or ''
            if found == ARGV[2] then return 1 end
            if found ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2]) return 1
            """
        var command = RedisCommand("EVAL", script, "1", layout.experiments)
        command.append(known ?? [])
        command.append(text)
        return try ask(command) == .integer(1)
    }
}
