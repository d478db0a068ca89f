import Basics
import Model
import Redis

/// Writes the keys of a version that is not listed yet.
struct RedisVersionWriter {
    /// The number of lists in one command: about 50 KB.
    private static let listsPerCommand = 64
    /// The greatest number of outstanding replies, which are short.
    private static let window = 64

    let layout: RedisLayout
    let version: VersionName
    let model: EncodedModel
    let idChunks: [[UInt8]]

    /// Creates a writer after checking the sections against the layout in Redis.
    ///
    /// - Throws: `Failure.corrupt` if a section is missing, or the sections contradict each other.
    init(_ layout: RedisLayout, _ version: VersionName, _ model: EncodedModel) throws(Failure) {
        let names = ModelLayout.SectionName.fixed + model.relations.map { ModelLayout.SectionName($0) }
        for name in names where model[name] == nil {
            throw Failure(.corrupt, "the model has no section \"\(name.rawValue)\"")
        }
        guard model[.facts]?.bytes.count == model.groupCount * ModelLayout.factsByteCount else {
            throw Failure(.corrupt, "the section \"facts\" is not of the \(model.groupCount) groups of the model")
        }
        self.layout = layout
        self.version = version
        self.model = model
        idChunks = try Self.chunks(ofIDs: model[.ids]?.bytes ?? [], groupCount: model.groupCount)
    }

    func write(
        to connection: inout StoreConnection, lease: inout PublisherLease,
        progress: (_ writtenBytes: Int) -> Void
    ) throws(Failure) {
        for section in model.sections {
            if section.name == .ids {
                for (number, chunk) in idChunks.enumerated() {
                    try push(layout.stem(version, .ids), number, chunk.span, &connection, &lease)
                }
            } else if section.name.relation != nil {
                try writeLists(section, &connection, &lease, progress)
                continue
            } else {
                for start in stride(from: 0, to: section.bytes.count, by: RedisLayout.chunkByteCount) {
                    let end = min(start + RedisLayout.chunkByteCount, section.bytes.count)
                    try push(
                        layout.stem(version, section.name), start / RedisLayout.chunkByteCount,
                        section.bytes.span.extracting(start..<end), &connection, &lease)
                }
            }
            progress(section.bytes.count)
        }
        try connection.finish { _ in }
    }

    private func push(
        _ stem: String, _ number: Int, _ value: borrowing Span<UInt8>, _ connection: inout StoreConnection,
        _ lease: inout PublisherLease
    ) throws(Failure) {
        var command = RedisCommand("SET")
        command.appendKey(stem, number)
        unsafe value.withUnsafeBytes { unsafe command.append($0) }
        try connection.push(command, window: Self.window) { _ in }
        if lease.renewal(&command) { try connection.push(command, window: Self.window) { _ in } }
    }

    private func writeLists(
        _ section: EncodedModel.Section, _ connection: inout StoreConnection, _ lease: inout PublisherLease,
        _ progress: (_ writtenBytes: Int) -> Void
    ) throws(Failure) {
        let reader = try NeighbourSectionReader(section, groupCount: model.groupCount)
        let stem = layout.stem(version, section.name)
        var command = RedisCommand("MSET")
        var told = 0
        for group in 0..<model.groupCount {
            let list = reader.list(group)
            if !list.isEmpty {
                command.appendKey(stem, group)
                try command.appendWord { bytes throws(Failure) in try reader.append(list, of: group, to: &bytes) }
            }
            guard
                command.wordCount > 2 * Self.listsPerCommand || (group == model.groupCount - 1 && command.wordCount > 1)
            else { continue }
            try connection.push(command, window: Self.window) { _ in }
            if lease.renewal(&command) { try connection.push(command, window: Self.window) { _ in } }
            command.replace(with: "MSET")
            progress(reader.byteCount(upTo: group) - told)
            told = reader.byteCount(upTo: group)
        }
        progress(section.bytes.count - told)
    }

    /// Returns the ids of a section in chunks cut between ids; a zero byte follows each id.
    private static func chunks(ofIDs section: [UInt8], groupCount: Int) throws(Failure) -> [[UInt8]] {
        let bytes = unsafe section.span.bytes
        let textsStart = (groupCount + 1) * 4
        func offset(_ index: Int) -> Int {
            Int(UInt32(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
        }
        let fault = Failure(
            .corrupt, "the section \"ids\" of the model contradicts itself, or an id has a zero byte")
        guard textsStart <= section.count, offset(0) == 0, offset(groupCount) == section.count - textsStart else {
            throw fault
        }
        var chunks: [[UInt8]] = []
        var chunk: [UInt8] = []
        for index in 0..<groupCount {
            guard offset(index) <= offset(index + 1), offset(index + 1) <= section.count - textsStart else {
                throw fault
            }
            let id = section[textsStart + offset(index)..<textsStart + offset(index + 1)]
            guard !id.contains(0) else { throw fault }
            if !chunk.isEmpty, chunk.count + id.count + 1 > RedisLayout.idChunkByteCount {
                chunks.append(chunk)
                chunk.removeAll(keepingCapacity: true)
            }
            chunk += id
            chunk.append(0)
        }
        return chunk.isEmpty ? chunks : chunks + [chunk]
    }
}

/// Removes the keys of versions that are not listed.
enum RedisVersionRemoval {
    private static let keysPerCommand = 512
    private static let window = 16

    /// Removes the keys of all versions in the set `incoming`; the lease ensures that nobody is writing them.
    static func removeUnlisted(
        _ layout: RedisLayout, _ connection: inout StoreConnection, lease: inout PublisherLease
    ) throws(Failure) {
        guard case .array(let members) = try connection.ask("SMEMBERS", layout.incoming) else { return }
        for member in members {
            // This program writes only names of versions; other members of the set have no keys.
            guard let text = member.text, let version = try? VersionName(text) else { continue }
            try remove(version, layout, &connection, lease: &lease)
        }
    }

    /// Removes the keys of one version, which follow from its shape: no search of the server is needed.
    static func remove(
        _ version: VersionName, _ layout: RedisLayout, _ connection: inout StoreConnection,
        lease: inout PublisherLease
    ) throws(Failure) {
        _ = try connection.ask("UNLINK", layout.manifest(version))
        if let shape = VersionShape(try connection.ask("HGETALL", layout.shape(version))) {
            try removeKeys(shape.numberedKeys(version, layout), &connection, lease: &lease)
        }
        try lease.forget(version, &connection)
    }

    /// Removes the keys with some stems, as many of each as are given; numbers begin with 0.
    static func removeKeys(
        _ keys: [(stem: String, count: Int)], _ connection: inout StoreConnection, lease: inout PublisherLease
    ) throws(Failure) {
        var command = RedisCommand("UNLINK")
        for (stem, count) in keys {
            for number in 0..<count {
                command.appendKey(stem, number)
                guard command.wordCount > keysPerCommand else { continue }
                try connection.push(command, window: window) { _ in }
                if lease.renewal(&command) { try connection.push(command, window: window) { _ in } }
                command.replace(with: "UNLINK")
            }
        }
        if command.wordCount > 1 { try connection.push(command, window: window) { _ in } }
        try connection.finish { _ in }
    }
}
