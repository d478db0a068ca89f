package import Basics

/// A model version encoded as bytes, section by section, as a store writes it.
package struct EncodedModel: Sendable, Equatable {
    /// One section of a model file.
    package struct Section: Sendable, Equatable {
        /// The section's name.
        package let name: ModelLayout.SectionName
        /// The section's content, as `ModelLayout` lays it out.
        package let bytes: [UInt8]

        package init(name: ModelLayout.SectionName, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    package let groupCount: Int
    /// The sections, in file order.
    package let sections: [Section]

    /// Encodes groups, their neighbours and their signals.
    ///
    /// - Parameters:
    ///   - groups: the groups, in strictly ascending order of the bytes of their ids.
    ///   - relations: the relations to write; one without sizes or neighbours is written empty.
    ///   - sizes: n(i) of every group in each relation.
    ///   - tables: the neighbours in each relation.
    ///   - evidenceWeights: the weight of each relation in members' lists, 0 or more; 1 for relations that are not
    ///     named.
    ///   - signals: the other signals of the groups; lists by tag and location may be in any order.
    ///   - looks: the photos with vectors, or nil if there are none.
    /// - Throws: `Failure` if groups are out of order, an id is invalid, or a table does not fit the number
    ///   of groups. An id is 1 to 255 bytes without NUL. The same if there are too many groups, postings
    ///   or bytes of text.
    package init(
        groups: [GroupFacts], relations: [Relation] = RelationTable.standard.requiredRelations,
        sizes: [Relation: [UInt32]] = [:], tables: [Relation: NeighbourTable],
        evidenceWeights: [Relation: Double] = [:], signals: GroupSignals = GroupSignals(),
        looks: LookSections? = nil
    ) throws(Failure) {
        guard groups.count < Int(UInt32.max) else { throw .tooLarge("\(groups.count) groups") }
        for group in groups where !(1...255).contains(group.id.utf8.count) || group.id.utf8.contains(0) {
            throw .corrupt(section: "ids", reason: "\(group.id) is not of 1 to 255 bytes without NUL")
        }
        for (left, right) in zip(groups, groups.dropFirst())
        where !left.id.utf8.lexicographicallyPrecedes(right.id.utf8) {
            throw .corrupt(section: "ids", reason: "\(left.id) does not stand before \(right.id)")
        }
        var sections = [
            Section(name: .ids, bytes: try ModelEncoding.texts(groups.map(\.id), section: .ids)),
            Section(name: .titles, bytes: try ModelEncoding.texts(groups.map(\.title), section: .titles)),
            Section(
                name: .topics,
                bytes: try ModelEncoding.texts(groups.map { $0.topics.joined(separator: ";") }, section: .topics)),
            Section(name: .facts, bytes: ModelEncoding.facts(groups)),
            Section(name: .relations, bytes: Array(relations.map(\.rawValue).joined(separator: ";").utf8)),
        ]
        var columns: [[UInt32]] = []
        var scales: [UInt8] = []
        var neighbours: [Section] = []
        for relation in relations {
            let table = tables[relation] ?? .empty(groupCount: groups.count)
            let column = sizes[relation] ?? [UInt32](repeating: 0, count: groups.count)
            guard table.offsets.count == groups.count + 1, column.count == groups.count else {
                throw .corrupt(section: relation.rawValue, reason: "it is not of as many groups as there are")
            }
            scales.append(littleEndian: table.meanBestScore.bitPattern)
            scales.append(littleEndian: (evidenceWeights[relation] ?? 1).bitPattern)
            columns.append(column)
            neighbours.append(Section(name: .init(relation), bytes: ModelEncoding.table(table)))
        }
        sections.append(
            Section(name: .sizes, bytes: ModelEncoding.sizes(columns, groupCount: groups.count)))
        sections.append(Section(name: .scales, bytes: scales))
        sections += try Self.signalSections(groups, signals) + neighbours + (looks?.sections ?? [])
        if !signals.reach.isEmpty { sections.append(Section(name: .reach, bytes: SignalEncoding.reach(signals.reach))) }
        self.init(groupCount: groups.count, sections: sections)
    }

    private static func signalSections(_ groups: [GroupFacts], _ signals: GroupSignals) throws(Failure) -> [Section] {
        guard signals.seasons.isEmpty || signals.seasons.count == groups.count else {
            throw .corrupt(section: "seasons", reason: "it is not of as many groups as there are")
        }
        guard signals.reach.isEmpty || signals.reach.count == groups.count else {
            throw .corrupt(section: "reach", reason: "it is not of as many groups as there are")
        }
        let places = Dictionary(uniqueKeysWithValues: signals.places.map { ($0.key.key, $0.value) })
        return [
            Section(
                name: .topicIndex,
                bytes: try SignalEncoding.index(SignalEncoding.topics(of: groups), section: .topicIndex)),
            Section(name: .trending, bytes: SignalEncoding.trending(signals.trending)),
            Section(name: .seasons, bytes: signals.seasons.flatMap(\.percent)),
            Section(name: .tags, bytes: try SignalEncoding.index(signals.tags, section: .tags)),
            Section(name: .places, bytes: try SignalEncoding.index(places, section: .places)),
            Section(name: .curated, bytes: SignalEncoding.curated(signals.curated)),
        ]
    }

    package init(groupCount: Int, sections: [Section]) {
        self.groupCount = groupCount
        self.sections = sections
    }

    /// The relations that the section `relations` names, in its order.
    package var relations: [Relation] {
        let names = self[.relations].map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
        return names.split(separator: ";").map { Relation(rawValue: String($0)) }
    }

    /// The section with a name, or nil if there is none.
    package subscript(name: ModelLayout.SectionName) -> Section? { sections.first { $0.name == name } }

    /// The position of every section in the file.
    package var placement: SectionPlacement {
        SectionPlacement(sections.map { ($0.name, $0.bytes.count) })
    }

    /// Writes the whole file into memory of `placement.byteCount` bytes, copying each section once.
    func write(to file: UnsafeMutableRawBufferPointer, _ placement: SectionPlacement) {
        _ = unsafe file.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe file.copyBytes(from: placement.header)
        for (section, range) in zip(sections, placement.ranges) {
            unsafe UnsafeMutableRawBufferPointer(rebasing: file[range]).copyBytes(from: section.bytes)
        }
    }
}

/// Encoders for the sections of a model file.
enum ModelEncoding {
    static func texts(_ texts: [String], section: ModelLayout.SectionName) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = 0
        bytes.reserveCapacity(texts.count * 16)
        bytes.append(littleEndian: UInt32(0))
        for text in texts {
            offset += text.utf8.count
            guard offset <= Int(UInt32.max) else { throw .tooLarge("\(section.rawValue) of more than 4 GiB") }
            bytes.append(littleEndian: UInt32(offset))
        }
        for text in texts { bytes.append(contentsOf: text.utf8) }
        return bytes
    }

    static func facts(_ groups: [GroupFacts]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(groups.count * ModelLayout.factsByteCount)
        for group in groups {
            bytes.append(littleEndian: group.createdAt ?? .min)
            bytes.append(littleEndian: group.lastActiveAt ?? .min)
            bytes.append(littleEndian: UInt16(group.joinPolicy.code))
            bytes.append(littleEndian: group.talk.encodedAnswers)
            bytes.append(littleEndian: group.talk.recentPosts)
        }
        return bytes
    }

    /// Encodes n(i), group after group; each group has one number for each relation.
    static func sizes(_ columns: [[UInt32]], groupCount: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(columns.count * groupCount * 4)
        for group in 0..<groupCount {
            for column in columns { bytes.append(littleEndian: column[group]) }
        }
        return bytes
    }

    static func table(_ table: NeighbourTable) -> [UInt8] {
        // Arrays of these types already have the file's layout in memory. Millions of appends would dominate the time
        // of publishing.
        let offsets = table.offsets.map { UInt64($0).littleEndian }
        let byteCount = offsets.count * 8 + table.neighbours.count * Neighbour.byteCount
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            unsafe offsets.withUnsafeBytes { unsafe raw.copyMemory(from: $0) }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[(offsets.count * 8)...])
            unsafe table.neighbours.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
            initializedCount = byteCount
        }
    }
}
