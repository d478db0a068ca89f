import Basics
import Model
import Redis

/// Reads a version's keys in batches, and assembles the sections of its model file.
struct RedisVersionReader {
    /// A function that takes bytes of a section, and their offset in the section.
    typealias Sink = (RawSpan, ModelLayout.SectionName, Int) throws(Failure) -> Void

    private static let listsPerCommand = 128
    /// The greatest number of outstanding replies: about a megabyte of lists, or as many chunks.
    private static let window = 8

    private let layout: RedisLayout
    private let version: VersionName
    private let shape: VersionShape
    private let placement: SectionPlacement

    /// Creates a reader of a version.
    ///
    /// - Throws: `Failure.corrupt` if the shape and the manifest contradict each other.
    init(layout: RedisLayout, manifest: Manifest, shape: VersionShape) throws(Failure) {
        let placement = try manifest.placement()
        let version = manifest.version
        guard placement[.facts]?.count == shape.groupCount * ModelLayout.factsByteCount,
            placement.names.compactMap(\.relation) == shape.relations,
            shape.bucketCount == manifest.members?.bucketCount ?? 0
        else {
            throw Failure(
                .corrupt, "\(layout.shape(version)) and \(layout.manifest(version)) contradict one another")
        }
        self.layout = layout
        self.version = version
        self.shape = shape
        self.placement = placement
    }

    /// Reads all sections.
    ///
    /// - Parameters:
    ///   - heartbeat: a function that is called before each command. The function may write a command with an integer
    ///     reply, which is then sent first.
    ///   - sink: a function that receives every byte of every section once. The order within a section is not defined.
    func read(
        from connection: inout StoreConnection, heartbeat: (inout RedisCommand) -> Bool = { _ in false },
        into sink: Sink
    ) throws(Failure) {
        for name in placement.names {
            if name == .ids {
                try readIDs(&connection, heartbeat, sink)
            } else if let relation = name.relation {
                try readLists(relation, &connection, heartbeat, sink)
            } else {
                try readChunks(name, &connection, heartbeat, sink)
            }
        }
    }

    private func readChunks(
        _ name: ModelLayout.SectionName, _ connection: inout StoreConnection,
        _ heartbeat: (inout RedisCommand) -> Bool, _ sink: Sink
    ) throws(Failure) {
        var offset = 0
        try forEachValue(
            layout.stem(version, name), shape.chunkCounts[name] ?? 0, perCommand: 1, &connection, heartbeat
        ) {
            bytes throws(Failure) in
            guard let bytes else { throw lost("a chunk of \(name.rawValue)") }
            try unsafe sink(bytes.bytes, name, offset)
            offset += bytes.count
        }
        try check(name, byteCount: offset)
    }

    private func readIDs(
        _ connection: inout StoreConnection, _ heartbeat: (inout RedisCommand) -> Bool, _ sink: Sink
    ) throws(Failure) {
        var texts: [UInt8] = []
        var offsets: [UInt32] = [0]
        try forEachValue(
            layout.stem(version, .ids), shape.chunkCounts[.ids] ?? 0, perCommand: 1, &connection, heartbeat
        ) {
            bytes throws(Failure) in
            guard let bytes, texts.count + bytes.count <= Int(UInt32.max) else { throw lost("a chunk of ids") }
            for place in bytes.indices {
                if bytes[place] == 0 { offsets.append(UInt32(texts.count)) } else { texts.append(bytes[place]) }
            }
        }
        try check(.ids, byteCount: offsets.count * 4 + texts.count)
        try unsafe sink(offsets.span.bytes, .ids, 0)
        try unsafe sink(texts.span.bytes, .ids, offsets.count * 4)
    }

    private func readLists(
        _ relation: Relation, _ connection: inout StoreConnection,
        _ heartbeat: (inout RedisCommand) -> Bool, _ sink: Sink
    ) throws(Failure) {
        let name = ModelLayout.SectionName(relation)
        let recordsStart = (shape.groupCount + 1) * 8
        var offsets: [UInt64] = [0]
        var batch: [Neighbour] = []
        var done = 0
        offsets.reserveCapacity(min(shape.groupCount, 1 << 24) + 1)
        func flush() throws(Failure) {
            try unsafe sink(batch.span.bytes, name, recordsStart + done * Neighbour.byteCount)
            done += batch.count
            batch.removeAll(keepingCapacity: true)
        }
        try forEachValue(
            layout.stem(version, name), shape.groupCount, perCommand: Self.listsPerCommand, &connection, heartbeat
        ) { bytes throws(Failure) in
            if let bytes, !NeighbourListCoding.decode(bytes, appendingTo: &batch) {
                throw Failure(
                    .corrupt, "the \(name.rawValue) of group \(offsets.count - 1) of \(version) are no list")
            }
            offsets.append(UInt64(done + batch.count))
            if batch.count >= 1 << 16 { try flush() }
        }
        try flush()
        try check(name, byteCount: recordsStart + done * Neighbour.byteCount)
        try unsafe sink(offsets.span.bytes, name, 0)
    }

    /// Calls `take` with the values of numbered keys, in order, and with `nil` for missing keys.
    private func forEachValue(
        _ stem: String, _ count: Int, perCommand: Int, _ connection: inout StoreConnection,
        _ heartbeat: (inout RedisCommand) -> Bool, _ take: (Span<UInt8>?) throws(Failure) -> Void
    ) throws(Failure) {
        func takeAll(_ reply: borrowing ReceivedReply) throws(Failure) {
            // An integer is the reply to a heartbeat.
            for place in 0..<(reply.elementCount ?? 0) {
                try reply.withBytes(ofElement: place, orThrow: lost("a value"), take)
            }
        }
        var command = RedisCommand()
        var next = 0
        while next < count {
            if heartbeat(&command) { try connection.push(command, window: Self.window, takeAll) }
            let end = min(next + perCommand, count)
            command.replace(with: "MGET")
            for number in next..<end { command.appendKey(stem, number) }
            try connection.push(command, window: Self.window, takeAll)
            next = end
        }
        try connection.finish(takeAll)
    }

    private func check(_ name: ModelLayout.SectionName, byteCount: Int) throws(Failure) {
        guard byteCount == placement[name]?.count else { throw lost("something of \(name.rawValue)") }
    }

    private func lost(_ what: String) -> Failure {
        Failure(.corrupt, "\(what) of version \(version) is missing in Redis, or is not what was written")
    }
}

extension RedisCommand {
    /// Adds a key that consists of a stem and a number.
    mutating func appendKey(_ stem: String, _ number: Int) {
        appendWord { bytes in
            bytes.append(contentsOf: stem.utf8)
            bytes.append(contentsOf: String(number).utf8)
        }
    }
}
