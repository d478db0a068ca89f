import Model

extension Community {
    /// The number out of 1000 photos that say where they were taken.
    static let locatedPermille = 600

    /// A function that receives the bytes of a file in order.
    typealias Sink = ([UInt8]) throws -> Void

    /// Writes one of the files, header first, in chunks of about 256 KiB of whole lines.
    ///
    /// Files may be written in any order, alone, or several at a time. Groups take as long as memberships and pools
    /// together, because these contain the time of a group's last activity.
    ///
    /// - Parameter sink: receives the chunks in order; an error that it throws ends the writing.
    /// - Returns: the number of rows, without the header.
    /// - Complexity: O(rows) time, and memory for the groups and a workspace only.
    @discardableResult
    func write(_ file: CommunityFile, to sink: Sink) rethrows -> Int {
        var line = LineBuffer()
        for column in file.columns { line.appendField(column) }
        line.endLine()
        switch file {
        case .groups: try writeGroups(&line, sink)
        case .users: try writeUsers(&line, sink)
        case .photos: try writePhotos(&line, sink)
        case .favourites: try writeFavourites(&line, sink)
        case .follows: try writeFollows(&line, sink)
        case .posts: try writePosts(&line, sink)
        case .relation(let source): try write(source, &line, sink)
        }
        if !line.bytes.isEmpty { try sink(line.bytes) }
        return line.lineCount - 1
    }

    private func writeGroups(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        let lastActive = lastActive()
        for (index, group) in table.groups.enumerated() {
            line.appendField(table.identifiers[index])
            line.appendField(table.titles[index])
            line.appendField(table.descriptions[index])
            line.appendField(group.isPrivate ? "private" : "public")
            line.appendField(topics(of: group).joined(separator: ";"))
            line.appendField(group.joinPolicy.rawValue)
            line.appendField(Int(group.created), timeline)
            line.appendField(lastActive[index], timeline)
            try endLine(&line, sink)
        }
    }

    /// Returns the instant at which somebody last joined each group or posted to it, or else that of its founding.
    private func lastActive() -> [Int] {
        var latest = table.groups.map { Int($0.created) }
        forEachDatedMember { _, memberships in
            for (group, joined) in zip(memberships.groups, memberships.joined) {
                latest[group] = max(latest[group], joined)
            }
        }
        forEachPoolEntry { group, _, added in latest[group] = max(latest[group], added) }
        return latest
    }

    /// Returns the theme of a group, the theme's topics, the subject and the place.
    private func topics(of group: Group) -> [String] {
        let theme = Theme.all[Int(group.theme)]
        var topics = [theme.name] + theme.topics.list
        if let subject = group.subject { topics.append(theme.subjects[Int(subject)].name.lowercased()) }
        if let place = group.place { topics.append(Place.all[Int(place)].name.lowercased()) }
        return topics
    }

    private func writeUsers(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        for user in 0..<parameters.users {
            line.appendField(memberNaming.identifier(of: user))
            line.appendField(memberNaming.name(of: user))
            line.appendField(member(user).interests.map { Theme.all[$0.theme].name }.joined(separator: ";"))
            try endLine(&line, sink)
        }
    }

    private func writePhotos(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        try forEachUser(where: { !$0.photos.isEmpty }) { user, member, memberships in
            let owner = memberNaming.identifier(of: user.number)
            for index in user.photos {
                let photo = photo(index, of: member, memberships)
                var random = EntityRandom(seed: parameters.seed, stream: .photoText, entity: index)
                let isLocated = random.chance(Self.locatedPermille)
                line.appendField(photoIdentifier(index))
                line.appendField(owner)
                line.appendField(photo.isPrivate ? "private" : "public")
                line.appendField(photo.taken, timeline)
                line.appendField(photo.uploaded, timeline)
                appendTags(of: photo, isLocated: isLocated, to: &line, &random)
                appendLocation(of: photo, isLocated: isLocated, to: &line, &random)
                try endLine(&line, sink)
            }
        }
    }

    /// Appends tags, each once: one or two of the subject, up to four of the theme, and the place of a located photo.
    private func appendTags(
        of photo: Photo, isLocated: Bool, to line: inout LineBuffer, _ random: inout EntityRandom
    ) {
        // Some people never tag.
        if random.chance(80) { return line.appendTab() }
        let narrow = 1 + random.below(2)
        var tags = Array(Theme.all[photo.theme].subjects[photo.subject].tags.list.prefix(narrow))
        let wide = Theme.all[photo.theme].tags.list
        let turn = random.below(wide.count)
        for step in 0..<(1 + random.below(4)) {
            let tag = wide[(turn + step) % wide.count]
            if !tags.contains(tag) { tags.append(tag) }
        }
        if isLocated, random.chance(600) {
            let tag = Place.all[photo.place].tag
            if !tags.contains(tag) { tags.append(tag) }
        }
        line.appendField(tags.joined(separator: ";"))
    }

    /// Appends latitude and longitude.
    ///
    /// Each is the sum of two draws, which makes the middle of the place denser.
    private func appendLocation(
        of photo: Photo, isLocated: Bool, to line: inout LineBuffer, _ random: inout EntityRandom
    ) {
        guard isLocated else {
            line.appendTab()
            return line.appendTab()
        }
        let place = Place.all[photo.place]
        for middle in [place.latitude, place.longitude] {
            let distance = random.below(place.radius) + random.below(place.radius) - place.radius
            line.append(hundredThousandths: middle + distance)
            line.appendTab()
        }
    }

    /// The number out of 1000 memberships or pool entries that are also entries of another relation.
    private static let otherPermille = 250

    /// Writes all memberships or pool entries, or for another relation a part of them.
    private func write(_ source: RelationSource, _ line: inout LineBuffer, _ sink: Sink) rethrows {
        let isWhole = source == .memberships || source == .pools
        // Each relation has a part of its own.
        let seed = source.table.utf8.reduce(parameters.seed) { SplitMix64.mix($0 &+ UInt64($1)) }
        func isTaken(_ random: inout EntityRandom) -> Bool { isWhole || random.chance(Self.otherPermille) }
        switch source.entries {
        case .users:
            try forEachDatedMember { user, memberships in
                var random = EntityRandom(seed: seed, stream: .relation, entity: user)
                let identifier = memberNaming.identifier(of: user)
                for (group, joined) in zip(memberships.groups, memberships.joined) where isTaken(&random) {
                    line.appendField(table.identifiers[group])
                    line.appendField(identifier)
                    line.appendField(joined, timeline)
                    try endLine(&line, sink)
                }
            }
        case .photos:
            var (random, last) = (EntityRandom(seed: seed, stream: .relation, entity: 0), 0)
            try forEachPoolEntry { group, photo, added in
                if photo != last { random = EntityRandom(seed: seed, stream: .relation, entity: photo) }
                last = photo
                guard isTaken(&random) else { return }
                line.appendField(table.identifiers[group])
                line.appendField(photoIdentifier(photo))
                line.appendField(added, timeline)
                try endLine(&line, sink)
            }
        }
    }

    func forEachDatedMember(_ visit: (_ user: Int, MembershipWorkspace) throws -> Void) rethrows {
        try forEachUser(where: { $0.membershipCount > 0 }) { user, member, memberships in
            dateMemberships(of: user, member, in: &memberships)
            try visit(user.number, memberships)
        }
    }

    /// Ends a line, and hands the bytes on when there are enough.
    func endLine(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        line.endLine()
        guard line.isFull else { return }
        try sink(line.bytes)
        line.removeAll()
    }

    /// Returns the identifier of a photo: eleven digits, as on photo sites; unique and in no order.
    func photoIdentifier(_ photo: Int) -> Int {
        // An odd factor permutes the numbers below 2³².
        let number = UInt32(truncatingIfNeeded: photo) &* 2_654_435_769 &+ UInt32(truncatingIfNeeded: parameters.seed)
        return 50_000_000_000 + Int(number)
    }
}

/// A collector of lines of tab-separated fields, which are written in chunks.
struct LineBuffer {
    /// The number of bytes from which a chunk is written (inclusive).
    static let chunkBytes = 1 << 18

    private(set) var bytes: [UInt8] = []
    /// The number of lines so far, written ones included.
    private(set) var lineCount = 0

    init() { bytes.reserveCapacity(Self.chunkBytes + 4096) }

    /// Whether the chunk is large enough to be written.
    var isFull: Bool { bytes.count >= Self.chunkBytes }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func appendTab() { bytes.append(UInt8(ascii: "\t")) }

    /// Ends the line: the tab after its last field becomes a line feed.
    mutating func endLine() {
        bytes[bytes.count - 1] = UInt8(ascii: "\n")
        lineCount += 1
    }

    /// Appends a field and the tab after it.
    mutating func appendField(_ text: String) {
        bytes.append(contentsOf: text.utf8)
        appendTab()
    }

    /// Appends a field and the tab after it.
    mutating func appendField(_ field: [UInt8]) {
        append(field[...])
        appendTab()
    }

    /// Appends a number as a field and the tab after it.
    mutating func appendField(_ number: Int) {
        append(number)
        appendTab()
    }

    /// Appends an instant as a field and the tab after it.
    mutating func appendField(_ instant: Int, _ timeline: Timeline) {
        timeline.append(instant, to: &self)
        appendTab()
    }

    mutating func append(_ text: ArraySlice<UInt8>) { bytes.append(contentsOf: text) }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int) { bytes.append(contentsOf: String(number).utf8) }

    /// Appends degrees with five decimals (about a metre), given in units of 0.00001 degree.
    mutating func append(hundredThousandths degrees: Int) {
        if degrees < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, decimals) = Int(degrees.magnitude).quotientAndRemainder(dividingBy: 100_000)
        append(whole)
        // The digit in front keeps the zeros, and gives way to the point.
        let point = bytes.count
        append(100_000 + decimals)
        bytes[point] = UInt8(ascii: ".")
    }

    /// Appends THH:MM:SSZ for a second of the day.
    mutating func append(time second: Int) {
        append("T", twoDigits: second / 3600)
        append(":", twoDigits: second / 60 % 60)
        append(":", twoDigits: second % 60)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func append(_ mark: Unicode.Scalar, twoDigits number: Int) {
        bytes.append(UInt8(ascii: mark))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10))
        bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
