/// The photos that members like and the members whom they follow, both by shared interests, and the members' posts.
extension Community {
    /// The number out of 1000 favourites that show the member's favourite subject of an interest.
    static let favouriteSubjectPermille = 700
    /// The number out of 1000 favourites and follows that follow no interest.
    static let chancePermille = 100
    /// The number out of 1000 posts that answer another one.
    static let answerPermille = 600
    /// The number of draws before the next free photo or member is taken.
    private static let draws = 12

    /// Writes the favourite photos, user by user.
    func writeFavourites(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        let shares = tasteShares(of: parameters.favourites, cap: parameters.photos, stream: .favouriteActivity)
        guard parameters.favourites > 0 else { return }
        let photos = PhotoShelves(self)
        var chosen: Set<Int> = []
        for user in 0..<parameters.users where shares[user] > 0 {
            let member = member(user)
            let identifier = memberNaming.identifier(of: user)
            var random = EntityRandom(seed: parameters.seed, stream: .favourite, entity: user)
            chosen.removeAll(keepingCapacity: true)
            for _ in 0..<shares[user] {
                let photo = Self.draw(below: parameters.photos, besides: chosen, &random) { random in
                    if random.chance(Self.chancePermille) { return random.below(parameters.photos) }
                    let interest = member.interest(&random)
                    let isNarrow = random.chance(Self.favouriteSubjectPermille)
                    return photos.photo(theme: interest.theme, subject: isNarrow ? interest.subject : nil, &random)
                }
                chosen.insert(photo)
                let earliest = max(Int(photos.uploaded[photo]), member.arrival)
                let share = random.unit()
                line.appendField(identifier)
                line.appendField(photoIdentifier(photo))
                line.appendField(earliest + Int(share * share * Double(Timeline.end - 1 - earliest)), timeline)
                try endLine(&line, sink)
            }
        }
    }

    /// Writes the members whom each member follows, user by user.
    func writeFollows(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        let shares = tasteShares(of: parameters.follows, cap: parameters.users - 1, stream: .followActivity)
        guard parameters.follows > 0 else { return }
        let members = (0..<parameters.users).map { member($0) }
        let shelves = Shelves(shelfCount: Theme.all.count, members.map { $0.interests.first?.theme })
        for user in members.indices where shares[user] > 0 {
            let identifier = memberNaming.identifier(of: user)
            var random = EntityRandom(seed: parameters.seed, stream: .follow, entity: user)
            var chosen: Set<Int> = [user]
            for _ in 0..<shares[user] {
                let followed = Self.draw(below: members.count, besides: chosen, &random) { random in
                    random.chance(Self.chancePermille)
                        ? random.below(members.count) : shelves.thing(members[user].interest(&random).theme, &random)
                }
                chosen.insert(followed)
                let earliest = max(members[user].arrival, members[followed].arrival)
                line.appendField(identifier)
                line.appendField(memberNaming.identifier(of: followed))
                line.appendField(earliest + random.below(Timeline.end - earliest), timeline)
                try endLine(&line, sink)
            }
        }
    }

    /// Writes the posts of each user in groups that the user joined, user by user.
    func writePosts(_ line: inout LineBuffer, _ sink: Sink) rethrows {
        let shares = tasteShares(of: parameters.posts, cap: Int(Int32.max), stream: .postActivity)
        guard parameters.posts > 0 else { return }
        try forEachDatedMember { user, memberships in
            let identifier = memberNaming.identifier(of: user)
            var random = EntityRandom(seed: parameters.seed, stream: .post, entity: user)
            for _ in 0..<shares[user] {
                // Most people talk in a few of their groups.
                let share = random.unit()
                let place = Int(share * share * share * Double(memberships.groups.count))
                let joined = memberships.joined[place]
                line.appendField(table.identifiers[memberships.groups[place]])
                line.appendField(identifier)
                line.appendField(joined + random.below(Timeline.end - joined), timeline)
                line.appendField(random.chance(Self.answerPermille) ? "yes" : "")
                try endLine(&line, sink)
            }
        }
    }

    /// Returns the number of favourites, follows or posts of each user; their sum is exact.
    private func tasteShares(of total: Int, cap: Int, stream: EntityRandom.Stream) -> [Int] {
        let weights = (0..<parameters.users).map { user in
            var random = EntityRandom(seed: parameters.seed, stream: stream, entity: user)
            return Activity.weight(ceiling: Activity.heaviest, &random)
        }
        return Quotas.shares(of: total, weights: weights, cap: max(1, cap)).map(Int.init)
    }

    /// Draws a number that is not chosen yet; after some draws, the next free one.
    private static func draw(
        below count: Int, besides chosen: Set<Int>, _ random: inout EntityRandom,
        _ draw: (inout EntityRandom) -> Int?
    ) -> Int {
        for _ in 0..<draws {
            if let found = draw(&random), !chosen.contains(found) { return found }
        }
        var next = random.below(count)
        while chosen.contains(next) { next = next + 1 < count ? next + 1 : 0 }
        return next
    }
}

/// Things by shelf, such as photos by theme, the first ones of a shelf the most popular.
private struct Shelves {
    private var starts: [Int]
    private var things: [UInt32]

    /// Sorts things onto shelves; a thing without a shelf is left out.
    init(shelfCount: Int, _ shelves: [Int?]) {
        starts = [Int](repeating: 0, count: shelfCount + 1)
        for case let shelf? in shelves { starts[shelf + 1] += 1 }
        for shelf in 0..<shelfCount { starts[shelf + 1] += starts[shelf] }
        var next = starts
        things = [UInt32](repeating: 0, count: starts[shelfCount])
        for case (let thing, let shelf?) in shelves.enumerated() {
            things[next[shelf]] = UInt32(thing)
            next[shelf] += 1
        }
    }

    /// Draws a thing of a shelf, or returns `nil` if the shelf is empty.
    func thing(_ shelf: Int, _ random: inout EntityRandom) -> Int? {
        let count = starts[shelf + 1] - starts[shelf]
        guard count > 0 else { return nil }
        let share = random.unit()
        return Int(things[starts[shelf] + Int(share * share * Double(count))])
    }
}

/// All photos by theme and by subject, with the instants at which they were uploaded.
private struct PhotoShelves {
    let uploaded: [Int32]
    private let byTheme: Shelves
    private let bySubject: Shelves
    /// The number of the first subject of each theme.
    private let firstSubjects: [Int]

    /// Draws all photos.
    ///
    /// - Complexity: O(photos) time and memory.
    init(_ community: Community) {
        var firstSubjects = [0]
        for theme in Theme.all { firstSubjects.append((firstSubjects.last ?? 0) + theme.subjects.count) }
        var (themes, subjects): ([Int?], [Int?]) = ([], [])
        var uploaded: [Int32] = []
        community.forEachUser(where: { !$0.photos.isEmpty }) { user, member, memberships in
            for index in user.photos {
                let photo = community.photo(index, of: member, memberships)
                themes.append(photo.theme)
                subjects.append(firstSubjects[photo.theme] + photo.subject)
                uploaded.append(Int32(photo.uploaded))
            }
        }
        byTheme = Shelves(shelfCount: Theme.all.count, themes)
        bySubject = Shelves(shelfCount: firstSubjects.last ?? 0, subjects)
        self.uploaded = uploaded
        self.firstSubjects = firstSubjects
    }

    func photo(theme: Int, subject: Int?, _ random: inout EntityRandom) -> Int? {
        guard let subject else { return byTheme.thing(theme, &random) }
        return bySubject.thing(firstSubjects[theme] + subject, &random)
    }
}
